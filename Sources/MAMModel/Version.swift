/// The version of daemon, command line and library, `major.minor.patch`.
package let productVersion = "0.1.0"
