internal import Foundation

/// What is fuzzed, chosen by the environment: one program for all targets takes a third of the time to build.
private let target: @Sendable (UnsafeRawBufferPointer) -> Void =
  switch ProcessInfo.processInfo.environment["FUZZ_TARGET"] {
  case "ResumeData": fuzzResumeData
  case "ResponseHead": fuzzResponseHead
  case "ContentRange": fuzzContentRange
  case let other: fatalError("FUZZ_TARGET is \(other ?? "not set")")
  }

/// Called by libFuzzer with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  target(UnsafeRawBufferPointer(start: start, count: count))
  return 0
}
