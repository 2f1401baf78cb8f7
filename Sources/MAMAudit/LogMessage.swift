// The kinds of events with a stable id: the words of the audit and the journal's MESSAGE_ID.

internal import Glibc
package import MAMSystem

/// One kind of event. Ids never change: systemd/mamd.catalog explains each, and administrators
/// search for them.
package enum LogMessage: String, Sendable, CaseIterable {
    /// The mount is served.
    case started
    /// The mount is no longer served.
    case stopped
    case registered
    /// The account is no longer registered; its sealed keys stay.
    case deregistered
    case passphraseChanged = "passphrase-changed"
    /// One more secret opens the account.
    case slotAdded = "slot-added"
    case slotRemoved = "slot-removed"
    case wrongPassphrase = "wrong-passphrase"
    /// Somebody has forgotten the passphrase, and asks the organisation for help.
    case resetAsked = "reset-asked"
    case unlocked
    case locked
    case blocked
    case unblocked
    /// A program for the account was started that leaves nothing outside the workspace.
    case contained
    /// A program was started that may read what is only for contained ones.
    case trusted
    /// mamd refused access to a file, or a call.
    case refused
    /// Policy denied what a program asked for.
    case denied
    /// Policy let content of an account go to another owner, or leave in the clear.
    case given
    /// Root gave content of an account away against policy.
    case overridden
    /// Stored data fails verification.
    case damaged
    /// What a program wrote could not be stored.
    case lost
    /// The account's keys are destroyed next.
    case wipeDecided = "wipe-decided"
    case wiped
    /// Some of the account's files could not be destroyed.
    case wipeIncomplete = "wipe-incomplete"
    /// Different policy documents are in force.
    case policyChanged = "policy-changed"
    /// A document in the policy directory is invalid.
    case policyRefused = "policy-refused"
    /// The account whose data a login session shows.
    case userInterface = "ui-identity"
    case keysExported = "keys-exported"
    case keysImported = "keys-imported"
    /// Policy names a recovery key, whose private half can open the account's files.
    case recoveryKey = "recovery-key"
    /// The workspace obeys an organisation's signed documents from now on.
    case joined
    /// It does so no more.
    case left
    /// An order that an organisation has signed is obeyed next.
    case ordered
    /// An issuer has proved whose an account is.
    case signedIn = "signed-in"
    /// Somebody, or a token, has failed to.
    case signInRefused = "sign-in-refused"
    /// Events were dropped for lack of room.
    case dropped

    /// `MESSAGE_ID`: 128 random bits.
    package var id: String {
        switch self {
        case .started: "feeb2f0728194fd980d4afc0a4df4079"
        case .stopped: "2a6dfb12f6434f15a13821285a901ad9"
        case .registered: "7d5db73af3bc4ec79e2567008600546c"
        case .deregistered: "2f942690421c46ba958ec9dae216ba25"
        case .passphraseChanged: "8f48f264d5d440608a66f0974cb7074f"
        case .slotAdded: "61c5a70babc79d44d474d806530a33ee"
        case .slotRemoved: "1ceca7beaf1c874055ea422bbd761026"
        case .wrongPassphrase: "e8a8fa1a524043ad93258c1aa72c4717"
        case .resetAsked: "3d0a61c58f5e4b7d9a2c7714e06fb1ce"
        case .unlocked: "cf65ff1fc7704b6ba97b3124632be382"
        case .locked: "5eb69920f455431d8119c2b1dc6583de"
        case .blocked: "5a3aadcb8d054edb874ad5052e71ae2c"
        case .unblocked: "92416e4d191a478aa11e2b41bf8835a1"
        case .contained: "b86a4d081432a6af6db4340aa31c9597"
        case .trusted: "198e0f5db3ca65cedbf017b4841334ad"
        case .refused: "c052e262ef1e4dc4a2a1d8a54b047386"
        case .denied: "88d547f968c3479f835402e2211b849a"
        case .given: "a16c80c406cc4c2989e8de4c91659673"
        case .overridden: "9fe6566d89b74e709969c815b5de7557"
        case .damaged: "3c29bb22641f49268bf91d7c5ee4ddc7"
        case .lost: "8796b424f37449378e170c138d78fa6e"
        case .wipeDecided: "e810ef113f6c4be2897cfabf54f6cf78"
        case .wiped: "d4f8ba235f0b4f3fa61cee400d064e5d"
        case .wipeIncomplete: "6f3cd6786cdc41f2b8567ef36cc350c9"
        case .policyChanged: "4ff2173d1ea742a9a0db4e39d62f4180"
        case .policyRefused: "2a2f97fc40ee4b23b08cfbd83d1a6eb1"
        case .userInterface: "0acbb57814e747e2a48e07a97261d831"
        case .keysExported: "90bb20a4eec94567b400166682303d70"
        case .keysImported: "520b912625404adda50defd0150a41aa"
        case .recoveryKey: "c0e6f2b1f35a4c1f9d0e6f3a7b52d914"
        case .joined: "59e223f6b6c14dd387779c34b6c1c896"
        case .left: "acb88825b94a4397a6ddfdd92d6e34f7"
        case .ordered: "53b879969cdb45fdb943769db1e1e5b8"
        case .signedIn: "094abdedbb034732a3a36e1c99b7b7c4"
        case .signInRefused: "9f212a4ea8804bd2be7270c1ba7ce076"
        case .dropped: "da912155a499442b80574d7b1976f2a4"
        }
    }

    /// The syslog(3) priority.
    fileprivate var priority: Int32 {
        switch self {
        case .lost, .wipeIncomplete, .policyRefused: LOG_ERR
        case .wrongPassphrase, .resetAsked, .blocked, .damaged, .wipeDecided, .wiped,
            .keysExported, .keysImported, .recoveryKey, .overridden, .trusted, .joined, .left,
            .ordered, .dropped,
            .signInRefused:
            LOG_WARNING
        default: LOG_INFO
        }
    }
}

/// The journal fields of an event.
package enum LogField: String, Sendable, CaseIterable {
    case event = "MAMD_EVENT"
    case workspace = "MAMD_WORKSPACE"
    case account = "MAMD_ACCOUNT"
    case receiver = "MAMD_RECEIVER"
    case pid = "MAMD_PID"
    case program = "MAMD_COMM"
    case uid = "MAMD_UID"
    case path = "MAMD_PATH"
    case operation = "MAMD_OPERATION"
    case reason = "MAMD_REASON"
    case rule = "MAMD_RULE"
    case fileClass = "MAMD_CLASS"
    case count = "MAMD_COUNT"
    case errno = "ERRNO"
}

extension Log {
    package func tell(
        _ message: LogMessage, _ fields: [LogField: String], _ text: @autoclosure () -> String
    ) {
        tell(LogEvent(message, fields), text)
    }

    /// For events that programs can cause at any rate.
    func tellOften(
        _ message: LogMessage, _ fields: [LogField: String], _ text: @autoclosure () -> String
    ) {
        tellOften(LogEvent(message, fields), text)
    }
}

extension LogEvent {
    fileprivate init(_ message: LogMessage, _ fields: [LogField: String]) {
        self.init(
            id: message.id, name: message.rawValue, priority: message.priority,
            fields.map { ($0.rawValue, $1) })
    }
}
