import Foundation
import Testing

@testable import ResumableDownloads

private let modified = "Sun, 06 Nov 1994 08:49:37 GMT"
private let secondLater = "Sun, 06 Nov 1994 08:49:38 GMT"

@Suite("Validators", .timeLimit(.minutes(1)))
struct ValidatorsTests {
  /// What some validators permit.
  struct Permission: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let held: Validators
    let ifRange: String?
    let allowsResume: Bool
  }

  @Test(
    "If-Range carries what RFC 9110 section 13.1.5 allows",
    arguments: [
      Permission(testDescription: "nothing", held: Validators(), ifRange: nil, allowsResume: false),
      Permission(
        testDescription: "strong tag", held: Validators(entityTag: "\"a\""), ifRange: "\"a\"", allowsResume: true),
      Permission(
        testDescription: "unquoted tag", held: Validators(entityTag: "test"), ifRange: "test", allowsResume: true),
      Permission(
        testDescription: "tag before date",
        held: Validators(entityTag: "\"a\"", lastModified: modified, date: secondLater), ifRange: "\"a\"",
        allowsResume: true),
      Permission(
        testDescription: "weak tag, although the date is strong",
        held: Validators(entityTag: "W/\"a\"", lastModified: modified, date: secondLater), ifRange: nil,
        allowsResume: true),
      Permission(
        testDescription: "date one second old", held: Validators(lastModified: modified, date: secondLater),
        ifRange: modified, allowsResume: true),
      Permission(
        testDescription: "date of the same second", held: Validators(lastModified: modified, date: modified),
        ifRange: nil, allowsResume: false),
      Permission(
        testDescription: "date in the future", held: Validators(lastModified: secondLater, date: modified),
        ifRange: nil, allowsResume: false),
      Permission(
        testDescription: "date without Date", held: Validators(lastModified: modified), ifRange: nil,
        allowsResume: false),
      Permission(
        testDescription: "date that is none", held: Validators(lastModified: "yesterday", date: secondLater),
        ifRange: nil, allowsResume: false),
      Permission(
        testDescription: "unusable tag, strong date",
        held: Validators(entityTag: "\u{0}", lastModified: modified, date: secondLater), ifRange: modified,
        allowsResume: true),
    ])
  func permission(row: Permission) {
    #expect(row.held.ifRange == row.ifRange)
    #expect(row.held.allowsResume == row.allowsResume)
  }

  /// Whether one response shows another to be outdated.
  struct Comparison: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let held: Validators
    let seen: Validators
    let isContradicted: Bool
  }

  @Test(
    "A response contradicts what is held only by what both have",
    arguments: [
      Comparison(
        testDescription: "equal strong tags decide, whatever the date",
        held: Validators(entityTag: "\"a\"", lastModified: modified),
        seen: Validators(entityTag: "\"a\"", lastModified: secondLater), isContradicted: false),
      Comparison(
        testDescription: "different strong tags", held: Validators(entityTag: "\"a\""),
        seen: Validators(entityTag: "\"b\""), isContradicted: true),
      Comparison(
        testDescription: "strong tag turned weak", held: Validators(entityTag: "\"a\""),
        seen: Validators(entityTag: "W/\"a\""), isContradicted: true),
      Comparison(
        testDescription: "tag held, nothing seen", held: Validators(entityTag: "\"a\"", lastModified: modified),
        seen: Validators(), isContradicted: false),
      Comparison(
        testDescription: "tag held, other date seen", held: Validators(entityTag: "\"a\"", lastModified: modified),
        seen: Validators(lastModified: secondLater), isContradicted: true),
      Comparison(
        testDescription: "weak tag turned strong", held: Validators(entityTag: "W/\"a\""),
        seen: Validators(entityTag: "\"a\""), isContradicted: false),
      Comparison(
        testDescription: "different weak tags", held: Validators(entityTag: "W/\"a\""),
        seen: Validators(entityTag: "W/\"b\""), isContradicted: true),
      Comparison(
        testDescription: "equal weak tags, other date", held: Validators(entityTag: "W/\"a\"", lastModified: modified),
        seen: Validators(entityTag: "W/\"a\"", lastModified: secondLater), isContradicted: true),
      Comparison(
        testDescription: "date held, new tag", held: Validators(lastModified: modified),
        seen: Validators(entityTag: "\"a\"", lastModified: modified), isContradicted: false),
      Comparison(
        testDescription: "date held, other date", held: Validators(lastModified: modified),
        seen: Validators(lastModified: secondLater), isContradicted: true),
      Comparison(
        testDescription: "same moment, other spelling", held: Validators(lastModified: modified),
        seen: Validators(lastModified: "Sunday, 06-Nov-94 08:49:37 GMT"), isContradicted: true),
    ])
  func comparison(row: Comparison) {
    #expect(row.held.contradicted(by: row.seen) == row.isContradicted)
  }
}
