import { Data, Predicate, type Redacted } from "effect"
import { formatHostAndPort } from "./Postgres.ts"

/** Setting and URL of a database. */
export interface DatabaseSource {
  /** Name of the setting, for example `DATABASE_URL`. */
  readonly name: string
  readonly url: Redacted.Redacted
}

/**
 * The database cannot be used. The message is one line: setting, host and port, reason and remedy, without credentials.
 */
export class DatabaseFailed extends Data.TaggedError("DatabaseFailed")<
  DatabaseSource & { readonly reason: string; readonly remedy: string }
> {
  override get message() {
    return `${this.name}: ${formatHostAndPort(this.url)}: ${this.reason}. ${this.remedy}`
  }
}

const textOf = (error: unknown, property: "code" | "message" | "remedy") =>
  Predicate.hasProperty(error, property) && typeof error[property] === "string" ? error[property] : ""

/** Remedies of errors that have none of their own, by error code of the socket, PostgreSQL (SQLSTATE) or TLS, or by message. */
const REMEDIES: ReadonlyArray<readonly [pattern: RegExp, remedy: string]> = [
  [/ECONNREFUSED/, "Start the database, or correct host and port"],
  [/ENOTFOUND|EAI_AGAIN/, "The host does not exist: correct its name"],
  [
    /ETIMEDOUT|E(?:HOST|NET)UNREACH|connection timeout|timeout expired|Connection timed out/,
    "The host does not respond: correct host and port, or check the firewall"
  ],
  [/no encryption|SSL required/, "If the server requires TLS, append ?sslmode=verify-full to the URL"],
  [/does not support SSL/, "Enable TLS on the server, or remove sslmode from the URL"],
  [/SELF_SIGNED|UNABLE_TO/, "Append the certificate of its authority to the URL: ?sslrootcert=/path/to/ca.pem"],
  [/^28|SASL/, "Correct user and password"],
  [/^3D000|no such database/, "Create the database, or correct its name"],
  [/^42501/, "Make the user the owner of the database"],
  [/^25006/, "The server is read-only: use the URL of the primary server"],
  [/^53300/, "Lower DATABASE_POOL_SIZE, or raise max_connections of the database"],
  [/has the encoding/, "Create a database with the encoding UTF8 (from template0), and use its URL"],
  [/schema lacks migration/, "Run: partner-api migrate"],
  [/startup parameter/, "The server is a pooler: set DATABASE_DIRECT_URL too (docs/poolers.md)"],
  [/^(?:42P05|26000)/, "The pooler does not support prepared statements: set DATABASE_PREPARE=false (docs/poolers.md)"]
]

/** Finds the error of the driver, which other errors wrap. */
const rootCause = (error: unknown): unknown =>
  Predicate.hasProperty(error, "cause") && error.cause !== undefined ? rootCause(error.cause) : error

/** Turns an error of the driver into one for operators, with the place and the remedy. */
export const explainDatabaseError =
  ({ name, url }: DatabaseSource) =>
  (error: unknown) => {
    const cause = rootCause(error)
    const [code, message] = [textOf(cause, "code"), textOf(cause, "message")]
    // The driver has two texts for this error.
    const reason = message.replace(/does not support TLS$/, "does not support SSL connections")
    const [, remedy = "See the log of the database"] =
      REMEDIES.find(([pattern]) => pattern.test(`${code} ${reason}`)) ?? []
    return new DatabaseFailed({ name, url, reason: reason || code, remedy: textOf(cause, "remedy") || remedy })
  }
