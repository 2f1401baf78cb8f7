/// What helps where a file has several names. mamctl says which they are in its place.
package let wayToOtherNames = "find MOUNTPOINT -samefile FILE, and leave one of them"
