import Foundation
import Testing

@testable import rget

@Suite(.timeLimit(.minutes(1)))
struct DisplayTests {
  private static let mebibyte: Int64 = 1 << 20
  private static let rows: [ProgressTable.Row] = [
    .init(name: "debian-12.iso", received: 12 * mebibyte, total: 28 * mebibyte, speed: 3_250_586),
    .init(name: "notes.txt", received: 900, total: nil, speed: nil),
    .init(name: "a-very-long-name-for-a-file-that-has-to-be-cut.tar.gz", received: 0, total: 5000, note: "checking"),
  ]
  private static let summary = ProgressTable.Summary(
    finished: 2, failed: 1, count: 6, received: 60 * mebibyte, total: 100 * mebibyte, speed: 4_194_304)

  @Test("A wide terminal shows everything, in columns")
  func wide() {
    let lines = ProgressTable(rows: Self.rows, summary: Self.summary).lines(width: 119)
    #expect(
      lines == [
        "debian-12.iso                            [###########---------------]   42%  "
          + "12.0 MiB of 28.0 MiB  3.1 MiB/s  0:06 left",
        "notes.txt                                [                          ]                       900 B",
        "a-very-long-name-fo…as-to-be-cut.tar.gz  [--------------------------]    0%  "
          + "      0 B of 4.9 KiB   checking",
        "2 of 6 done, 1 failed, 60.0 MiB, 4.0 MiB/s, 0:10 left",
      ])
  }

  @Test(
    "What matters least goes first as the terminal gets narrower",
    arguments: [
      (79, "debian-12.iso  [#####-------]   42%  12.0 MiB of 28.0 MiB  3.1 MiB/s  0:06 left"),
      (66, "debian-12.iso   42%  12.0 MiB of 28.0 MiB  3.1 MiB/s  0:06 left"),
      (50, "debia…2.iso   42%  12.0 MiB of 28.0 MiB  3.1 MiB/s"), (20, "debian-12.iso   42%"),
      (17, "debia…2.iso   42%"),
      (12, "debian…2.iso"), (1, "…"),
    ])
  func narrow(width: Int, expected: String) {
    #expect(ProgressTable(rows: [Self.rows[0]]).lines(width: width) == [expected])
  }

  @Test("No line is ever wider than asked for, whatever the width")
  func fits() {
    let wide = ProgressTable.Row(name: "日本語のとても長いファイル名です.tar.gz", received: 1, total: 3, speed: 1)
    for width in 1...200 {
      for line in ProgressTable(rows: Self.rows + [wide], summary: Self.summary, hidden: 3).lines(width: width) {
        #expect(TextWidth.columns(line) <= width, "\(width): \(line)")
      }
    }
  }

  @Test("Colour changes nothing but the colour")
  func colour() {
    let table = ProgressTable(rows: [Self.rows[0]])
    let line = table.lines(width: 79, isColoured: true)[0]
    #expect(line.contains("[\u{1B}[32m#####\u{1B}[0m-------]"))
    let plain = line.replacing("\u{1B}[32m", with: "").replacing("\u{1B}[0m", with: "")
    #expect([plain] == table.lines(width: 79))
  }

  @Test("Without a terminal a line is plain")
  func plain() {
    #expect(
      Self.rows.map(\.plainLine) == [
        "debian-12.iso: 42%, 12.0 MiB of 28.0 MiB, 3.1 MiB/s, 0:06 left", "notes.txt: 900 B",
        "a-very-long-name-for-a-file-that-has-to-be-cut.tar.gz: 0%, 0 B of 4.9 KiB, checking",
      ])
  }

  @Test(
    "Widths are those of a terminal",
    arguments: [("abc", 3), ("日本", 4), ("e\u{301}", 1), ("👍🏽", 2), ("🇩🇪", 2), ("ﾊﾝ", 2), ("한", 2), ("\u{7}", 0), ("", 0)])
  func widths(text: String, expected: Int) {
    #expect(TextWidth.columns(text) == expected)
  }

  @Test(
    "Long names lose their middle",
    arguments: [
      ("abcdefghij", 10, "abcdefghij"), ("abcdefghij", 9, "abcd…ghij"), ("abcdefghij", 4, "ab…j"),
      ("abcdefghij", 1, "…"), ("abcdefghij", 0, ""), ("日本語日本語", 8, "日本…語"), ("日本語日本語", 7, "日本…語"),
    ])
  func shortening(text: String, width: Int, expected: String) {
    #expect(TextWidth.shortened(text, to: width) == expected)
  }

  @Test(
    "Numbers",
    arguments: [
      (Amount.bytes(0), "0 B"), (Amount.bytes(1023), "1023 B"), (Amount.bytes(1024), "1.0 KiB"),
      (Amount.bytes(1_048_575), "1.0 MiB"), (Amount.bytes(.max), "8192.0 PiB"), (Amount.time(0), "0:00"),
      (Amount.time(59), "0:59"), (Amount.time(3600), "1:00:00"), (Amount.age(0), "0 seconds"),
      (Amount.age(61), "1 minute"), (Amount.age(200_000), "2 days"),
    ])
  func numbers(text: String, expected: String) { #expect(text == expected) }

  @Test("100 percent means complete, and an endless wait is not told")
  func edges() {
    #expect(Amount.percent(999, of: 1000) == 99)
    #expect(Amount.percent(1000, of: 1000) == 100)
    #expect(Amount.percent(1001, of: 1000) == 100)
    #expect(Amount.percent(1, of: 0) == nil)
    #expect(Amount.percent(1, of: nil) == nil)
    #expect(Amount.secondsLeft(0, of: .max, speed: 1) == nil)
    #expect(Amount.secondsLeft(0, of: 10, speed: 0.5) == nil)
    #expect(Amount.secondsLeft(0, of: 10, speed: 3) == 4)
  }

  @Test("An event is one line, with the fields that say something")
  func event() {
    let event = JSONEvent(event: .saved, url: "https://a.test/f", file: "a\"\nb", received: 3)
    #expect(
      event.line == #"{"event":"saved","file":"a\"\nb","received":3,"url":"https://a.test/f"}"#)
  }

  @Test("The speed is that of the last seconds, and sinks in silence")
  func speed() {
    var meter = SpeedMeter()
    #expect(meter.speed(at: 0) == nil)
    for second in 0...20 { meter.record(Int64(second) * (second <= 10 ? 100 : 200), at: Double(second)) }
    #expect(meter.speed(at: 20) == 200)
    #expect(meter.speed(at: 25) == 100)
    meter.record(10, at: 26)
    #expect(meter.speed(at: 26) == nil)
  }

  @Test("What is shown holds no secrets")
  func masked() throws {
    let url = try #require(URL(string: "https://u:p@a.test/f?sig=abc#x"))
    #expect(Masked.url(url) == "https://a.test/f?…")
    #expect(Masked.field("AUTHORIZATION", "Basic abc") == "AUTHORIZATION: ***")
    #expect(Masked.field("Set-Cookie", "a=b") == "Set-Cookie: ***")
    #expect(Masked.field("Server", "x\u{1B}[2J") == "Server: x?[2J")
  }
}
