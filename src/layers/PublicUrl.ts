import { Config, Effect, Option } from "effect"
import { parsePublicOrigin } from "../domain/Url.ts"
import { invalidSetting, optionalString } from "./Settings.ts"

const parsePublicUrl = (text: string) => {
  const message = `Expected a URL as in https://partners.example.com, without path, but received "${text}"`
  return Effect.mapError(Effect.fromNullishOr(parsePublicOrigin(text)), () => invalidSetting("PUBLIC_URL", message))
}

/** Public address of the service. Undefined if it is the address on which the service listens. */
export const publicUrl = Config.mapEffect(
  optionalString("PUBLIC_URL"),
  Option.match({ onNone: () => Effect.succeed(undefined), onSome: parsePublicUrl })
)
