import { Equal, Predicate, type Result } from "effect"
import type { DevelopedApp } from "../../../domain/access/Developers.ts"
import type { Capability } from "../../../domain/access/Capability.ts"
import type { Scope } from "../../../domain/access/Scope.ts"
import type { BadRequest } from "../../../domain/BadRequest.ts"
import { decodeWith } from "../../../domain/json/Decoder.ts"
import { AppPatch, NewApp } from "../../../rpc/Client.ts"
import { type Problems, fieldProblemsOf } from "../../shared/data/errorMessages.ts"

export type App = typeof DevelopedApp.Type

/** Form values of an app, as typed. */
export interface AppDraft {
  readonly name: string
  readonly website: string
  readonly logoUrl: string
  /** One URI per line. */
  readonly redirectUris: string
  readonly scopes: ReadonlyArray<Scope>
  readonly capabilities: ReadonlyArray<Capability>
}

export const EMPTY_DRAFT: AppDraft = {
  name: "",
  website: "",
  logoUrl: "",
  redirectUris: "",
  scopes: ["read_products"],
  capabilities: []
}

export const draftOf = ({ capabilities, logoUrl, name, redirectUris, scopes, website }: App): AppDraft => ({
  name,
  website: website ?? "",
  logoUrl: logoUrl ?? "",
  redirectUris: redirectUris.join("\n"),
  scopes,
  capabilities
})

const orNull = (text: string) => (text.trim() === "" ? null : text.trim())

const lines = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

/** Converts form values to the request. The schema validates them. */
const toSettings = ({ capabilities, logoUrl, name, redirectUris, scopes, website }: AppDraft) => ({
  name: name.trim(),
  website: orNull(website),
  logoUrl: orNull(logoUrl),
  redirectUris: lines(redirectUris),
  scopes,
  capabilities
})

const decodeNew = decodeWith(NewApp)
const decodePatch = decodeWith(AppPatch)

/** Validates the registration of an app. */
export const parseNewApp = (draft: AppDraft, type: NewApp["type"]): Result.Result<NewApp, BadRequest> =>
  decodeNew({ type, ...toSettings(draft) }, true)

/** Validates the settings of an app. */
export const parsePatch = (draft: AppDraft): Result.Result<AppPatch, BadRequest> => decodePatch(toSettings(draft), true)

/** Compares form values with the app. The order of its lists does not matter. */
export const isChanged = (app: App, draft: AppDraft): boolean => {
  const inOrder = (one: ReturnType<typeof toSettings>) => ({
    ...one,
    scopes: one.scopes.toSorted(),
    capabilities: one.capabilities.toSorted()
  })
  return !Equal.equals(inOrder(toSettings(draftOf(app))), inOrder(toSettings(draft)))
}

/** Validation messages by field. */
export const problemsIn = (error: unknown): Problems =>
  Predicate.isTagged(error, "RedirectUriRefused") && error instanceof Error
    ? { redirectUris: error.message }
    : fieldProblemsOf(error)
