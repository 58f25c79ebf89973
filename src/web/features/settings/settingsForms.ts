import { Record, Result, type Redacted, Schema } from "effect"
import { UpdateSettings } from "../../../domain/access/Settings.ts"
import type { Store } from "../../../domain/access/Stores.ts"
import { decodeWith } from "../../../domain/json/Decoder.ts"
import { PasswordAttempt, Password } from "../../../domain/access/Merchants.ts"
import { fieldProblemsOf } from "../../shared/data/errorMessages.ts"
import { settingsTexts } from "./settingsTexts.ts"

/** Form values of the store settings. Empty text means no value. */
export type StoreFormValues = Readonly<Record<keyof UpdateSettings, string>>

/** Form values of the saved settings. */
export const formValuesOf = ({ country, domain, locale, name, timezone, weightUnit }: Store): StoreFormValues => ({
  name,
  domain: domain ?? "",
  timezone,
  locale,
  country: country ?? "",
  weightUnit
})

const decode = decodeWith(UpdateSettings)

const FIELDS = ["name", "domain", "timezone", "locale", "country", "weightUnit"] as const

/** Changed settings, or validation messages by field. */
type ParsedForm =
  { readonly changes: UpdateSettings } | { readonly problems: Readonly<Partial<Record<keyof UpdateSettings, string>>> }

const orNull = (text: string) => (text.trim() === "" ? null : text.trim())

/** Validates the form. Contains only changed fields, so that changes of other members are kept. */
export const parseStoreForm = (store: Store, typed: StoreFormValues): ParsedForm => {
  const decoded = decode({ ...typed, domain: orNull(typed.domain), country: orNull(typed.country) }, false)
  return Result.match(decoded, {
    onFailure: (error) => ({
      problems: Record.map(fieldProblemsOf(error), (problem) => settingsTexts.store.problem(problem))
    }),
    onSuccess: (settings) => ({
      changes: Object.fromEntries(
        FIELDS.filter((field) => settings[field] !== store[field]).map((field) => [field, settings[field]])
      )
    })
  })
}

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
