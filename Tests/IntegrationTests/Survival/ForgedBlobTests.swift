import Foundation
import FoundationNetworking
import Glibc
import LoopbackServer
import TestSupport
import Testing

@testable import ResumableDownloads

/// Resume data is hostile until proven otherwise: no blob makes the library touch what is not its own.
@Suite(.timeLimit(.minutes(3)))
struct ForgedBlobTests {
  @Test("A forged blob touches no file", arguments: Forgery.allCases)
  func forged(_ forgery: Forgery) async throws {
    let scene = try FaultScene(interrupted: .reset, then: FaultScene.rest, FaultScene.rest)
    let blob = try await scene.interrupt()
    let place = try await ForgedPlace(scene, blob)
    let forged = try forgery.make(place)
    let before = try place.snapshot()
    let run = try await scene.resume(forged)
    #expect(try place.snapshot() == before)
    // Either it is refused, or it is a download of its own from the first byte.
    if run.outcome.error == nil {
      #expect(run.requests.map(\.rangeStart) == [nil])
      #expect(run.outcome.data == FaultScene.whole)
    } else {
      #expect(run.outcome.file == nil)
    }
    if !forgery.replacesPartial {
      let again = try await scene.resume(blob)
      #expect(again.outcome.data == FaultScene.whole, "the real one still works")
    }
  }

  @Test("A partial file that is replaced while its task runs is neither handed out nor written to")
  func replacedWhileRunning() async throws {
    let gate = Gate()
    let answer = Answer.ok(FaultScene.whole, FaultScene.validators).inserting(.wait(gate), after: FaultScene.firstPart)
    let server = try LoopbackServer([answer])
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let task = fixture.session.downloadTask(with: server.url())
    try await fixture.start(task, until: FaultScene.firstPart)
    let name = try #require(fixture.kept.first { $0.hasSuffix(".partial") })
    let secret = try fixture.partials.write(Data("secret".utf8), to: "secret")
    try FileManager.default.removeItem(atPath: fixture.partials.path("kept/\(name)"))
    #expect(symlink(secret, fixture.partials.path("kept/\(name)")) == 0)
    gate.open()
    let outcome = try await fixture.delegate.completion(of: task)
    #expect(outcome.urlError?.code == .cannotMoveFile)
    #expect(outcome.file == nil)
    #expect(try Data(contentsOf: URL(fileURLWithPath: secret)) == Data("secret".utf8))
  }
}

/// Where forged blobs point: files of the user beside the folder of partial files.
struct ForgedPlace {
  let folder: TemporaryFolder
  let blob: Data
  let real: EditedPartial
  /// Where files of the user lie.
  var victims: String { folder.path("victims") }

  init(_ scene: FaultScene, _ blob: Data) async throws {
    folder = scene.folder
    self.blob = blob
    real = try EditedPartial(blob)
    try await real.settle()
    try folder.makeFolder("victims")
    try folder.write(Data("a secret".utf8), to: "victims/secret.txt")
    try folder.write(Data("not a partial file of the library".utf8), to: "victims/v.partial")
  }

  /// Everything that was there before: kind, mode, owner, links, size, times, contents.
  func snapshot() throws -> [String: String] {
    var found: [String: String] = [:]
    for name in try folder.contents() {
      var status = stat()
      guard lstat(folder.path(name), &status) == 0 else { continue }
      let isFile = status.st_mode & S_IFMT == S_IFREG
      let bytes = isFile ? try Data(contentsOf: folder.url(name)).hashValue : 0
      // A folder changes with what is in it, and the folder of partials may get new ones.
      let times = isFile ? "\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)" : ""
      found[name] = "\(status.st_mode) \(status.st_uid) \(isFile ? status.st_nlink : 0) \(times) \(bytes)"
    }
    return found
  }

  /// The blob with another path and the name in it.
  func pointing(to path: String) throws -> Data {
    try edited(blob) { fields in
      fields["partialPath"] = path
      fields["partialName"] = path.split(separator: "/", omittingEmptySubsequences: false).last.map(String.init)
    }
  }

  /// The blob with one other field.
  func with(_ field: String, _ value: Any) throws -> Data { try edited(blob) { $0[field] = value } }
}

/// A way to forge.
enum Forgery: String, CaseIterable, Sendable {
  case passwordFile, passwordPartial, plainFile, relative, traversal, traversalInName, zeroByte, longPath, fileScheme
  case filePath, withoutJournal, foreignJournal, journalByLink, journalByHardLink, otherIdentity, otherName
  case destination, folderIsPipe, throughProc, emptyName, slashAtEnd
  case symbolicLink, hardLink, pipe, directory, socket, device

  /// Whether something else has taken the place of the real partial file, which is then lost.
  var replacesPartial: Bool { [.symbolicLink, .hardLink, .pipe, .directory, .socket, .device].contains(self) }

  func make(_ place: ForgedPlace) throws -> Data {
    switch self {
    case .passwordFile: try place.pointing(to: "/etc/passwd")
    case .passwordPartial: try place.pointing(to: "/etc/passwd.partial")
    case .plainFile: try place.pointing(to: place.victims + "/secret.txt")
    case .relative: try place.pointing(to: "victims/v.partial")
    case .traversal: try place.pointing(to: place.folder.path("partials/../victims/v.partial"))
    case .traversalInName: try place.with("partialName", "../victims/v.partial")
    case .zeroByte: try place.pointing(to: place.victims + "/secret.txt\u{0}.partial")
    case .longPath: try place.pointing(to: "/" + String(repeating: "x/", count: 3000) + "v.partial")
    case .fileScheme: try place.with("url", "file://" + place.victims + "/secret.txt")
    case .filePath: try place.pointing(to: "file://" + place.victims + "/v.partial")
    case .withoutJournal: try place.pointing(to: place.victims + "/v.partial")
    case .otherIdentity: try place.with("identity", UUID().uuidString)
    case .otherName: try place.pointing(to: (place.real.partial as NSString).deletingLastPathComponent + "/o.partial")
    case .destination: try destination(place)
    case .throughProc: try place.pointing(to: "/proc/self/cwd/v.partial")
    case .emptyName: try place.pointing(to: place.victims + "/.partial")
    case .slashAtEnd: try place.pointing(to: place.victims + "/v.partial/")
    case .foreignJournal, .journalByLink, .journalByHardLink: try besideVictim(place)
    case .folderIsPipe: try pipeFolder(place)
    case .symbolicLink, .hardLink, .pipe, .directory, .socket, .device: try inPlaceOfPartial(place)
    }
  }

  /// Only a download that was given a destination may have one, and it is not in the blob that this is decided.
  private func destination(_ place: ForgedPlace) throws -> Data {
    try edited(place.blob) { fields in
      fields["destination"] = place.victims + "/secret.txt"
      fields["identity"] = UUID().uuidString
    }
  }

  /// A journal beside a file that is not ours.
  private func besideVictim(_ place: ForgedPlace) throws -> Data {
    let journal = place.victims + "/v.resume"
    switch self {
    case .journalByLink: #expect(symlink(place.real.journal, journal) == 0)
    case .journalByHardLink: #expect(link(place.real.journal, journal) == 0)
    default: try place.with("identity", UUID().uuidString).write(to: URL(fileURLWithPath: journal))
    }
    return try place.pointing(to: place.victims + "/v.partial")
  }

  private func pipeFolder(_ place: ForgedPlace) throws -> Data {
    #expect(mkfifo(place.folder.path("pipe"), 0o600) == 0)
    return try place.pointing(to: place.folder.path("pipe/v.partial"))
  }

  /// The right blob, but something else lies where its partial file was.
  private func inPlaceOfPartial(_ place: ForgedPlace) throws -> Data {
    let partial = place.real.partial
    #expect(unlink(partial) == 0)
    switch self {
    case .symbolicLink: #expect(symlink(place.victims + "/secret.txt", partial) == 0)
    case .hardLink: #expect(link(place.victims + "/secret.txt", partial) == 0)
    case .pipe: #expect(mkfifo(partial, 0o600) == 0)
    case .device:
      // /dev/null, which only an administrator can make.
      if mknod(partial, S_IFCHR | 0o600, 0x103) != 0 { #expect(mkfifo(partial, 0o600) == 0) }
    case .socket: #expect(mknod(partial, S_IFSOCK | 0o600, 0) == 0)
    default: #expect(mkdir(partial, 0o700) == 0)
    }
    return place.blob
  }
}
