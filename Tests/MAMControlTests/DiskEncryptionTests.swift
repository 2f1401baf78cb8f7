import Glibc
import MAMSystem
import TestSupport
import Testing

@testable import MAMControl

/// On a tree of files as sysfs has it.
@Suite struct DiskEncryptionTests {
    private let sysfs: TemporaryDirectory

    init() throws { sysfs = try TemporaryDirectory() }

    private func place(_ name: String) -> String { "\(sysfs.path)/\(name)" }

    private func make(_ name: String, dm uuid: String? = nil, on below: [String] = []) {
        for directory in ["", "/slaves", "/dm"] { mkdir(place(name) + directory, 0o700) }
        write("1:1", to: "\(name)/dev")
        if let uuid { write(uuid, to: "\(name)/dm/uuid") }
        for slave in below { symlink(place(slave), place("\(name)/slaves/\(slave)")) }
    }

    private func write(_ text: String, to name: String) {
        let file = fopen(place(name), "w")
        fputs(text, file)
        fclose(file)
    }

    @Test func `a volume on an encrypted disk is encrypted, and one on a plain disk is not`() {
        make("sda")
        make("crypt", dm: "CRYPT-LUKS2-0123-luks", on: ["sda"])
        make("volume", dm: "LVM-0123", on: ["crypt"])
        make("plain", dm: "LVM-4567", on: ["sda"])
        #expect(isEncrypted(blockDevice: place("sda")) == false)
        #expect(isEncrypted(blockDevice: place("crypt")) == true)
        #expect(isEncrypted(blockDevice: place("volume")) == true)
        #expect(isEncrypted(blockDevice: place("plain")) == false)
    }

    @Test func `a volume over two disks is encrypted if both are`() {
        make("one", dm: "CRYPT-LUKS2-1")
        make("two", dm: "CRYPT-PLAIN-2")
        make("sda")
        make("loop0")
        mkdir(place("loop0/loop"), 0o700)
        make("both", dm: "LVM-1", on: ["one", "two"])
        make("half", dm: "LVM-2", on: ["one", "sda"])
        make("partly", dm: "LVM-3", on: ["one", "loop0"])
        #expect(isEncrypted(blockDevice: place("both")) == true)
        #expect(isEncrypted(blockDevice: place("half")) == false)
        #expect(isEncrypted(blockDevice: place("partly")) == nil)
        #expect(isEncrypted(blockDevice: place("loop0")) == nil)
    }

    @Test func `a partition is on what the whole is on`() {
        make("crypt", dm: "CRYPT-LUKS1-1")
        make("md0", on: ["crypt"])
        mkdir(place("md0/md0p1"), 0o700)
        write("9:1", to: "md0/md0p1/dev")
        write("1", to: "md0/md0p1/partition")
        #expect(isEncrypted(blockDevice: place("md0/md0p1")) == true)
    }

    @Test func `a file system without a device is not known`() {
        #expect(isEncrypted(blockDevice: place("0:45")) == nil)
    }
}
