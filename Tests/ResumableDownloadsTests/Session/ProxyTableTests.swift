import Foundation
import Testing

@testable import ResumableDownloads

/// Apple's proxy dictionary as libcurl takes it.
@Suite(.timeLimit(.minutes(1)))
struct ProxyTableTests {
  @Test("HTTP and HTTPS proxies have their own entries, SOCKS stands in for either")
  func kinds() {
    let table = ProxyTable([
      "HTTPEnable": 1, "HTTPProxy": "p.test", "HTTPPort": 3128, "SOCKSEnable": true, "SOCKSProxy": "::1",
      "SOCKSPort": 1080, "ExceptionsList": ["*.local", "h.test"],
    ])
    #expect(table.http == ProxyTable.Proxy(url: "http://p.test:3128"))
    #expect(table.https == ProxyTable.Proxy(url: "socks5h://[::1]:1080"))
    #expect(table.exceptions == ["local", "h.test"])
  }

  @Test("A proxy needs a host and has to be enabled; its user may be named")
  func parts() {
    #expect(ProxyTable([:]) == ProxyTable())
    #expect(ProxyTable(["HTTPProxy": "p.test", "HTTPPort": 1]).http == nil)
    #expect(ProxyTable(["HTTPEnable": 0, "HTTPProxy": "p.test"]).http == nil)
    #expect(ProxyTable(["HTTPEnable": 1, "HTTPProxy": ""]).http == nil)
    let named = ProxyTable(["HTTPSEnable": 1, "HTTPSProxy": "p.test", "HTTPSUser": "u", "HTTPSPassword": "w"])
    #expect(named.https == ProxyTable.Proxy(url: "http://p.test", user: "u", password: "w"))
  }
}
