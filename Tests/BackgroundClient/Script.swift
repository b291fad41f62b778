import Foundation

/// What the program is told to do, as words of its command line:
///
///     BackgroundClient IDENTIFIER FOLDER [WORDS]
///
/// It makes the session, prints its tasks, does what the words say in their order, and prints every callback. Finished
/// files are moved to FOLDER/<number of the task>.
struct Script: Sendable {
  enum Step: Sendable {
    /// `add URL TEXT`: makes a task, with a description.
    case add(URL, String)
    /// `start URL TEXT`: the same, and resumes it.
    case start(URL, String)
    /// `to URL PATH`: resumes a task with a destination.
    case to(URL, String)
    /// `post URL TEXT`: resumes a task that posts the text.
    case post(URL, String)
    /// `from FILE`: resumes a task made from resume data.
    case from(String)
    /// `handler URL`: resumes a task with a completion handler.
    case handler(URL)
    /// `async URL`: an async download.
    case async(URL)
    /// `twice URL`: resumes a task in a second session with the identifier.
    case twice(URL)
    /// `resume NUMBER`, `cancel NUMBER`, `pause NUMBER`: does it to a task; pausing writes FOLDER/<number>.blob.
    case resume(Int)
    case cancel(Int)
    case pause(Int)
  }

  /// Where a callback waits for the end of the process.
  enum Place: String, Sendable {
    /// `stall finish`: before the file is moved.
    case finish
    /// `stall moved`: after the file was moved, within the callback.
    case moved
    /// `stall complete`: in the last callback.
    case complete
  }

  struct Misuse: Error {
    let word: String
  }

  let identifier: String
  let folder: String
  private(set) var steps: [Step] = []
  private(set) var place: Place?
  /// `suspend-at BYTES`: a task with so many bytes suspends itself.
  private(set) var suspendsAt: Int64?
  /// `until COUNT`: when so many tasks have completed the session is invalidated, and the program ends unless it has
  /// paused one.
  private(set) var count: Int?

  var producesResumeData: Bool { steps.contains { if case .pause = $0 { true } else { false } } }

  init(_ arguments: [String]) throws {
    var words = Words(rest: arguments[...])
    identifier = try words.next()
    folder = try words.next()
    while let word = words.rest.popFirst() {
      switch word {
      case "stall": place = Place(rawValue: try words.next())
      case "suspend-at": suspendsAt = Int64(try words.number())
      case "until": count = try words.number()
      default: steps.append(try Step(word, &words))
      }
    }
  }

  /// The words that are left.
  struct Words {
    var rest: ArraySlice<String>

    mutating func next() throws -> String {
      guard let word = rest.popFirst() else { throw Misuse(word: "too few words") }
      return word
    }

    mutating func url() throws -> URL {
      let word = try next()
      guard let url = URL(string: word) else { throw Misuse(word: word) }
      return url
    }

    mutating func number() throws -> Int {
      let word = try next()
      guard let number = Int(word) else { throw Misuse(word: word) }
      return number
    }
  }
}

extension Script.Step {
  fileprivate init(_ word: String, _ words: inout Script.Words) throws {
    switch word {
    case "add": self = .add(try words.url(), try words.next())
    case "start": self = .start(try words.url(), try words.next())
    case "to": self = .to(try words.url(), try words.next())
    case "post": self = .post(try words.url(), try words.next())
    case "from": self = .from(try words.next())
    case "handler": self = .handler(try words.url())
    case "async": self = .async(try words.url())
    case "twice": self = .twice(try words.url())
    case "resume": self = .resume(try words.number())
    case "cancel": self = .cancel(try words.number())
    case "pause": self = .pause(try words.number())
    default: throw Script.Misuse(word: word)
    }
  }
}
