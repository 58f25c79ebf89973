import { Data, Predicate, type Redacted } from "effect"
import { formatHostAndPort } from "./Postgres.ts"

/** Where a database was looked for. */
export interface DatabaseSource {
  /** What named it, as in `DATABASE_URL`. */
  readonly name: string
  readonly url: Redacted.Redacted
}

/** The database cannot be worked with. One line: where it was looked for, without user or password, and a way out. */
export class DatabaseFailed extends Data.TaggedError("DatabaseFailed")<
  DatabaseSource & { readonly reason: string; readonly remedy: string }
> {
  override get message() {
    return `${this.name}: ${formatHostAndPort(this.url)}: ${this.reason}. ${this.remedy}`
  }
}

const textOf = (error: unknown, property: "code" | "message") =>
  Predicate.hasProperty(error, property) && typeof error[property] === "string" ? error[property] : ""

/** What to do about codes of the socket, of PostgreSQL (SQLSTATE) and of TLS, or else about what is said. */
const REMEDIES: ReadonlyArray<readonly [said: RegExp, remedy: string]> = [
  [/ECONNREFUSED/, "Nothing listens there: start the database, or correct host and port"],
  [/ENOTFOUND|EAI_AGAIN/, "There is no such host: correct its name"],
  [
    /ETIMEDOUT|E(?:HOST|NET)UNREACH|connection timeout|timeout expired|Connection timed out/,
    "Nothing answers there: correct host and port, or open the way to it"
  ],
  [/no encryption|SSL required/, "If it takes TLS alone, end the URL with ?sslmode=verify-full"],
  [/does not support SSL/, "Start its TLS, or leave sslmode out of the URL"],
  [/SELF_SIGNED|UNABLE_TO/, "Name the certificate of its authority in the URL: ?sslrootcert=/path/to/ca.pem"],
  [/^28|SASL/, "Correct user and password"],
  [/^3D000|no such database/, "Make the database, or correct its name"],
  [/^42501/, "Make the user the owner of the database"],
  [/^25006/, "Name the server that takes writes"],
  [/^53300/, "Lower DATABASE_POOL_SIZE, or let the database take more connections"],
  [/schema is of another build/, "Name an empty database, or one of this release"],
  [/startup parameter/, "A pooler listens there: name the way around it, too (docs/poolers.md)"],
  [/^(?:42P05|26000)/, "The pooler does not know prepared statements: set DATABASE_PREPARE=false (docs/poolers.md)"]
]

/** The error of the driver, below those that it is wrapped in. */
const rootOf = (error: unknown): unknown =>
  Predicate.hasProperty(error, "cause") && error.cause !== undefined ? rootOf(error.cause) : error

/** Says of what the driver met where that was, and what helps. */
export const explainDatabaseError =
  ({ name, url }: DatabaseSource) =>
  (failed: unknown) => {
    const said = rootOf(failed)
    const [code, message] = [textOf(said, "code"), textOf(said, "message")]
    // The drivers of migrations and of requests word it differently.
    const reason = message.replace(/does not support TLS$/, "does not support SSL connections")
    const [, remedy = "See what it says in its log"] = REMEDIES.find(([said]) => said.test(`${code} ${reason}`)) ?? []
    return new DatabaseFailed({ name, url, reason: reason || code, remedy })
  }
