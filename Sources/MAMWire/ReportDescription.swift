// The interface definition, word for word that of docs/io.mamd.Report.varlink; a test compares them.

/// What `GetInterfaceDescription` answers for reports.
package enum ReportDescription {
    package static let name = "io.mamd.Report"

    package static let text = """
        # What a report of the workspace is made from. Changes nothing. The errors are those of io.mamd.Workspace.
        interface io.mamd.Report

        # The files of one owner, class and state (io.mamd.Workspace, type Protection). owner "": nobody's. bytes: as readers see them;
        # storedBytes: what they take on the disk.
        type Sum (
          owner: string,
          ownerObjectId: string,
          class: ?string,
          state: string,
          files: int,
          bytes: int,
          storedBytes: int
        )

        # others: links, pipes, sockets and devices; unreadable: what could not be looked at; uncounted: files that no sum has, because
        # there are more than 1000 sums, or 500,000 files with several names
        type Totals (
          files: int,
          bytes: int,
          storedBytes: int,
          directories: int,
          others: int,
          unreadable: int,
          uncounted: int
        )

        type BlockRange (
          first: int,
          last: int
        )

        # problem, outcome and place as in io.mamd.Workspace, type Finding
        type Finding (
          path: string,
          place: string,
          problem: string,
          reason: string,
          blocks: []BlockRange,
          blockCount: int,
          outcome: string,
          action: ?string
        )

        # time: when it ended, in seconds since 1970; counts: the summary of
        # io.mamd.Workspace.Verify; findings: the first 100 of those whose outcome is not noted
        type Verification (
          time: int,
          repair: bool,
          counts: object,
          findings: []Finding
        )

        # Counts the files of the whole workspace; a file with several names once. Reads their headers alone. Call with more: progress for root and the
        # daemon's user, and in the last reply sums and total. Others are told of the files of the accounts that they registered.
        method Census() -> (progress: ?Totals, sums: ?[]Sum, total: ?Totals)

        # The last check of the whole workspace that came to its end. For root and the daemon's user. null: there was none.
        method LastVerify() -> (verify: ?Verification)

        """
}
