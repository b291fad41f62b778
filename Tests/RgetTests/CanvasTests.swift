import Testing

@testable import rget

@Suite(.timeLimit(.minutes(1)))
struct CanvasTests {
  @Test("A frame takes the place of the last one and ends below it")
  func frames() {
    var canvas = Canvas()
    #expect(canvas.frame(["a", "b"], width: 10) == "a\u{1B}[K\nb\u{1B}[K\n")
    #expect(canvas.frame(["c", "d"], width: 10) == "\u{1B}[2A\rc\u{1B}[K\nd\u{1B}[K\n\u{1B}[J")
    #expect(canvas.frame(["e"], width: 10) == "\u{1B}[2A\re\u{1B}[K\n\u{1B}[J")
    #expect(canvas.frame(["e"], messages: ["saved"], width: 10) == "\u{1B}[1A\rsaved\u{1B}[K\ne\u{1B}[K\n\u{1B}[J")
    #expect(canvas.frame([], width: 10) == "\u{1B}[1A\r\u{1B}[J")
    #expect(canvas.isEmpty)
    #expect(canvas.frame([], width: 10) == "")
  }

  @Test("A window that got narrower has wrapped what was drawn")
  func narrower() {
    var canvas = Canvas()
    _ = canvas.frame([String(repeating: "x", count: 40), "\u{1B}[32m####\u{1B}[0m", ""], width: 80)
    #expect(canvas.frame(["y"], width: 20).hasPrefix("\u{1B}[4A\r"))
  }
}
