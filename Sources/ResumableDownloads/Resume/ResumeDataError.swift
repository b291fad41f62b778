public import Foundation

/// Why a blob is not resume data that this package can use, or a request cannot take the place of a recorded one.
///
/// The texts name fields of the format and never repeat a URL or a header, so they can be logged.
public enum ResumeDataError: Error, Equatable, Sendable {
  /// The bytes are not in the format of this package. Resume data made by Apple's systems is not, either.
  case notResumeData
  /// The blob was written in another version of the format, probably by a later version of this package.
  case unsupportedVersion(Int)
  /// The blob, or a part of it that has a limit of its own, is larger than any this package writes.
  case tooLarge
  /// A field that must be there is not.
  case missingField(name: String)
  /// A field has the wrong type, or a value that it cannot have.
  case invalidField(name: String)
  /// A byte count is negative, too large, or larger than one that bounds it.
  case numberOutOfRange(name: String)
  /// A path is relative, could leave its folder, or does not name a partial file.
  case unsafePath(name: String)
  /// The URL is neither `http` nor `https`.
  case unsupportedScheme(String)
  /// The method is not GET. Ranges are defined for GET only (RFC 9110 section 14.2).
  case unsupportedMethod(String)
  /// The request has a body, which resume data does not record.
  case requestHasBody
}

extension ResumeDataError: LocalizedError, CustomStringConvertible {
  /// One sentence about what is wrong.
  public var description: String {
    switch self {
    case .notResumeData: "The data is not resume data made by ResumableDownloads."
    case .unsupportedVersion(let version): "Resume data of format version \(version) is not supported."
    case .tooLarge: "The resume data is too large."
    case .missingField(let name): "The resume data lacks the field “\(name)”."
    case .invalidField(let name): "The field “\(name)” of the resume data is not valid."
    case .numberOutOfRange(let name): "The number in the field “\(name)” of the resume data is out of range."
    case .unsafePath(let name): "The path in the field “\(name)” of the resume data is not safe to use."
    case .unsupportedScheme(let scheme): "A download cannot be resumed over the scheme “\(scheme)”."
    case .unsupportedMethod(let method): "A download with the method “\(method)” cannot be resumed."
    case .requestHasBody: "A download whose request has a body cannot be resumed."
    }
  }

  /// The same sentence as `description`.
  public var errorDescription: String? { description }
}

extension ResumeDataError {
  /// The error for a URL scheme, of which only a short and harmless beginning is kept.
  static func scheme(_ text: String) -> ResumeDataError { .unsupportedScheme(excerpt(text)) }

  /// The error for a method, likewise.
  static func method(_ text: String) -> ResumeDataError { .unsupportedMethod(excerpt(text)) }

  /// Enough of a foreign word to recognise it by, and nothing that could disturb a log.
  private static func excerpt(_ text: String) -> String {
    String(decoding: text.utf8.prefix(16).filter { (0x21...0x7E).contains($0) }, as: UTF8.self)
  }
}
