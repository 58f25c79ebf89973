import { Either, type Redacted, Schema } from "effect"
import { ClaimedPassword, Password } from "../../../domain/access/Merchants.ts"

/** The form as it is before anybody types. */
export const NOTHING_TYPED = { current: "", next: "", again: "" }
export type Typed = typeof NOTHING_TYPED

/** The password that there is, and the one that is to be. */
export interface Passwords {
  readonly current: Redacted.Redacted
  readonly next: Redacted.Redacted
}

const claimedOf = Schema.decodeEither(ClaimedPassword)
const passwordOf = Schema.decodeEither(Password)

/** What the form asks for, or why what stands in a field cannot be taken. */
export const readPasswords = ({ again, current, next }: Typed): Either.Either<Passwords, Partial<Typed>> => {
  const claimed = claimedOf(current)
  const wanted = passwordOf(next)
  const problems: Partial<Typed> = {
    ...(Either.isLeft(claimed) || current === "" ? { current: "Give the password that you have now" } : {}),
    ...(Either.isLeft(wanted) ? { next: "It must have 12 to 256 characters" } : {}),
    ...(again === next ? {} : { again: "This is not the same as the new password" })
  }
  return Either.isRight(claimed) && Either.isRight(wanted) && Object.keys(problems).length === 0
    ? Either.right({ current: claimed.right, next: wanted.right })
    : Either.left(problems)
}
