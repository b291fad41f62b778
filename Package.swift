// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// A small program that shows one use of the library.
func example(_ name: String) -> Target {
  .executableTarget(
    name: name, dependencies: ["ResumableDownloads", "Console"], path: "Examples/\(name)", swiftSettings: strict)
}

let package = Package(
  name: "ResumableDownloads",
  products: [
    .library(name: "ResumableDownloads", targets: ["ResumableDownloads"]),
    .executable(name: "rget", targets: ["rget"]),
  ],
  dependencies: [],
  targets: [
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .target(name: "ResumableDownloads", dependencies: ["CCurl"], swiftSettings: strict),
    .target(name: "LoopbackServer", path: "Examples/LoopbackServer", swiftSettings: strict),
    .executableTarget(
      name: "rget", dependencies: ["ResumableDownloads", "LoopbackServer", "CCrypto"], path: "Examples/rget",
      swiftSettings: strict),
    .executableTarget(
      name: "download-bench", dependencies: ["ResumableDownloads", "LoopbackServer", "TestSupport"],
      path: "Examples/Benchmark", swiftSettings: strict),
    .target(name: "Console", path: "Examples/Console", swiftSettings: strict),
    example("DownloadManager"),
    example("StartPauseGoOn"),
    example("LazySession"),
    example("DownloadQueue"),
    .target(
      name: "TestSupport", dependencies: ["ResumableDownloads", "LoopbackServer"], path: "Tests/TestSupport",
      swiftSettings: strict),
    .executableTarget(
      name: "BackgroundClient", dependencies: ["ResumableDownloads"], path: "Tests/BackgroundClient",
      swiftSettings: strict),
    .executableTarget(
      name: "DownloadClient", dependencies: ["ResumableDownloads"], path: "Tests/DownloadClient", swiftSettings: strict),
    .executableTarget(
      name: "LeakClient", dependencies: ["ResumableDownloads", "TestSupport"], path: "Tests/LeakClient",
      swiftSettings: strict),
    .testTarget(
      name: "ResumableDownloadsTests", dependencies: ["ResumableDownloads", "TestSupport"], swiftSettings: strict),
    .testTarget(name: "RgetTests", dependencies: ["rget", "TestSupport", "LoopbackServer"], swiftSettings: strict),
    .testTarget(
      name: "IntegrationTests", dependencies: ["ResumableDownloads", "TestSupport", "LoopbackServer"],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
