import Foundation

/// What of a blob that `URLSession` produced on an Apple system can be used elsewhere.
///
/// The format is not documented. Its known shapes are a property list, XML or binary, and a keyed archive of one; the
/// keys below are those that published samples show. The archived requests inside are left alone.
struct AppleResumeData: Sendable, Equatable {
  /// Larger blobs are not looked at.
  static let maximumByteCount = 1 << 20

  let url: String
  var entityTag: String?
  var lastModified: String?
  /// Bytes in the partial file, if the blob says so.
  var byteCount: Int64?
  /// The last component of the partial file's name.
  var partialName: String?

  init(_ data: Data) throws(ResumeDataError) {
    guard data.count <= Self.maximumByteCount else { throw .tooLarge }
    guard let list = PropertyListValue(data), let entries = Self.root(of: list) else { throw .notResumeData }
    guard let url = entries["NSURLSessionDownloadURL"]?.text else {
      throw .missingField(name: "NSURLSessionDownloadURL")
    }
    self.url = url
    // A validator that cannot be sent again is as good as none.
    entityTag = entries["NSURLSessionResumeEntityTag"]?.text.flatMap { EntityTag($0)?.raw == $0 ? $0 : nil }
    // Its name says otherwise, but what it holds is the Last-Modified date.
    lastModified = entries["NSURLSessionResumeServerDownloadDate"]?.text.flatMap {
      Validators.usableDate($0) == $0 ? $0 : nil
    }
    byteCount = entries["NSURLSessionResumeBytesReceived"]?.number.flatMap { $0 >= 0 ? $0 : nil }
    let path = (entries["NSURLSessionResumeInfoTempFileName"] ?? entries["NSURLSessionResumeInfoLocalPath"])?.text
    partialName = path.flatMap { $0.split(separator: "/").last.map(String.init) }
  }

  /// The dictionary with the fields, taken out of its archive if it is in one.
  private static func root(of list: PropertyListValue) -> [String: PropertyListValue]? {
    guard let entries = list.entries else { return nil }
    guard entries["$archiver"] != nil else { return entries }
    guard let objects = entries["$objects"]?.elements, let top = entries["$top"]?.entries,
      case .reference(let number) = top["NSKeyedArchiveRootObjectKey"] ?? top["root"],
      let root = object(number, objects)?.entries,
      let keys = root["NS.keys"]?.elements, let values = root["NS.objects"]?.elements
    else { return nil }
    var result: [String: PropertyListValue] = [:]
    for (key, value) in zip(keys, values) {
      guard let name = plain(key, objects)?.text else { continue }
      result[name] = plain(value, objects)
    }
    return result
  }

  private static func object(_ number: Int, _ objects: [PropertyListValue]) -> PropertyListValue? {
    objects.indices.contains(number) ? objects[number] : nil
  }

  /// The value behind a reference; mutable strings and data are objects of their own.
  private static func plain(_ value: PropertyListValue, _ objects: [PropertyListValue]) -> PropertyListValue? {
    guard case .reference(let number) = value, let found = object(number, objects) else { return value }
    return found.entries?["NS.string"] ?? found.entries?["NS.data"] ?? found
  }
}
