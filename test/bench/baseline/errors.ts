/** Error with the status, message and issues of its response. */
export class HttpError extends Error {
  readonly statusCode: number
  readonly issues: ReadonlyArray<string> | undefined

  constructor(statusCode: number, message: string, issues?: ReadonlyArray<string>) {
    super(message)
    this.statusCode = statusCode
    this.issues = issues
  }
}

export const notFound = (what: string) => new HttpError(404, `${what} was not found`)
