import { Data, type Effect, type Redacted } from "effect"
import type { Membership } from "../../domain/access/Merchants.ts"
import type { Consent } from "../../domain/oauth/Consents.ts"
import type { StoreNotFound } from "../../domain/Store.ts"
import type { Html } from "./Html.ts"

/** The content of a consent form: a heading, and the terms with their form fields. */
export interface ConsentQuestion {
  readonly heading: Html
  readonly terms: Html
}

/** The submitted form is invalid or outdated. The page is shown again with the reason. */
export class ConsentFormRejected extends Data.TaggedError("ConsentFormRejected")<{ readonly reason: string }> {}

/** The consent to one kind of client. */
export interface ConsentStrategy {
  readonly ask: (store: Membership) => Effect.Effect<ConsentQuestion>
  /** Stores the consent in the submitted form and returns its authorization code. */
  readonly agree: (
    consent: Consent,
    form: URLSearchParams
  ) => Effect.Effect<Redacted.Redacted, ConsentFormRejected | StoreNotFound>
}
