import Foundation
import Testing

@testable import ResumableDownloads

@Suite(.timeLimit(.minutes(1)))
struct UUIDTests {
  @Test("A random identifier is one of version 4, and its name is its text in small letters")
  func random() {
    for _ in 0..<1_000 {
      let identifier = UUID.random()
      #expect(identifier.uuid.6 >> 4 == 4 && identifier.uuid.8 >> 6 == 2)
      #expect(identifier.name == identifier.uuidString.lowercased())
    }
  }
}
