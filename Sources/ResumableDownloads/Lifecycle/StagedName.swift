/// Names of partials that lie hidden beside their destination.
enum StagedName {
  /// Room for the hash and the endings within the 255 bytes of a file name.
  private static let maximumNameBytes = 200

  /// The same for the same address and destination name, so that a later process finds the partial again.
  static func stem(destinationName: String, url: String) -> String {
    var name = destinationName
    while name.utf8.count > maximumNameBytes { name.removeLast() }
    return ".\(name).\(NameHash.hexadecimal(url + "\u{0}" + destinationName))"
  }
}
