import type { Schema } from "effect"
import { MutedText } from "../../shared/ui/layout/Page.tsx"
import css from "./Records.module.css"
import type { Address as AddressSchema } from "../../../domain/records/Address.ts"
import { recordTexts } from "./recordTexts.ts"

export type Address = Schema.Schema.Type<typeof AddressSchema>

const joinParts = (...parts: ReadonlyArray<string | null | undefined>) =>
  parts.filter((part) => part !== null && part !== undefined && part !== "").join(" ")

/** Lines of a postal address. Unknown members are not shown. */
export const addressLines = ({ city, company, country, line1, line2, name, phone, postalCode, region }: Address) =>
  [name, company, line1, line2, joinParts(postalCode, city), region, country, phone]
    .map((line) => joinParts(line))
    .filter((line) => line !== "")

export const AddressText = ({ address }: { readonly address: Address | null }) =>
  address === null ? (
    <MutedText>{recordTexts.none}</MutedText>
  ) : (
    <address className={css["address"]}>{addressLines(address).join("\n")}</address>
  )
