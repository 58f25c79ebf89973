/** A refusal that the client is told of: its status, its message, and what is wrong in particular. */
export class Refused extends Error {
  readonly statusCode: number
  readonly issues: ReadonlyArray<string> | undefined

  constructor(statusCode: number, message: string, issues?: ReadonlyArray<string>) {
    super(message)
    this.statusCode = statusCode
    this.issues = issues
  }
}

export const notFound = (what: string) => new Refused(404, `${what} was not found`)
