import { type Redacted, Result, Schema } from "effect"
import { PasswordAttempt, Password } from "../../../domain/access/Merchants.ts"
import { settingsTexts } from "./settingsTexts.ts"

export const EMPTY_FORM = { current: "", next: "", again: "" }
export type PasswordFormValues = typeof EMPTY_FORM

/** Current and new password. */
export interface Passwords {
  readonly current: Redacted.Redacted
  readonly next: Redacted.Redacted
}

const claimedOf = Schema.decodeResult(PasswordAttempt)
const passwordOf = Schema.decodeResult(Password)

/** Validates the password form. */
export const parsePasswords = ({
  again,
  current,
  next
}: PasswordFormValues): Result.Result<Passwords, Partial<PasswordFormValues>> => {
  const claimed = claimedOf(current)
  const chosen = passwordOf(next)
  const problems: Partial<PasswordFormValues> = {
    ...(Result.isFailure(claimed) || current === "" ? { current: settingsTexts.password.currentMissing } : {}),
    ...(Result.isFailure(chosen) ? { next: settingsTexts.password.invalidLength } : {}),
    ...(again === next ? {} : { again: settingsTexts.password.mismatch })
  }
  return Result.isSuccess(claimed) && Result.isSuccess(chosen) && Object.keys(problems).length === 0
    ? Result.succeed({ current: claimed.success, next: chosen.success })
    : Result.fail(problems)
}
