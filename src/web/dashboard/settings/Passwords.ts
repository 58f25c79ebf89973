import { type Redacted, Result, Schema } from "effect"
import { ClaimedPassword, Password } from "../../../domain/access/Merchants.ts"

/** The form as it is before anybody types. */
export const NOTHING_TYPED = { current: "", next: "", again: "" }
export type Typed = typeof NOTHING_TYPED

/** The password that there is, and the one that is to be. */
export interface Passwords {
  readonly current: Redacted.Redacted
  readonly next: Redacted.Redacted
}

const claimedOf = Schema.decodeResult(ClaimedPassword)
const passwordOf = Schema.decodeResult(Password)

/** What the form asks for, or why what stands in a field cannot be taken. */
export const readPasswords = ({ again, current, next }: Typed): Result.Result<Passwords, Partial<Typed>> => {
  const claimed = claimedOf(current)
  const wanted = passwordOf(next)
  const problems: Partial<Typed> = {
    ...(Result.isFailure(claimed) || current === "" ? { current: "Enter your current password" } : {}),
    ...(Result.isFailure(wanted) ? { next: "Use 12 to 256 characters" } : {}),
    ...(again === next ? {} : { again: "The passwords do not match" })
  }
  return Result.isSuccess(claimed) && Result.isSuccess(wanted) && Object.keys(problems).length === 0
    ? Result.succeed({ current: claimed.success, next: wanted.success })
    : Result.fail(problems)
}
