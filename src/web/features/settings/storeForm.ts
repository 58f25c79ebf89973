import { Record, Result } from "effect"
import { UpdateSettings } from "../../../domain/access/Settings.ts"
import type { Store } from "../../../domain/access/Stores.ts"
import { decodeWith } from "../../../domain/json/Decoder.ts"
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
export type ParsedForm =
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
