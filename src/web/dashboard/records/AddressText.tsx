import { MutedText } from "../../ui/Page.tsx"
import { type Address, addressLines } from "./addressLines.ts"
import css from "./Records.module.css"

export const AddressText = ({ address }: { readonly address: Address | null }) =>
  address === null ? (
    <MutedText>None</MutedText>
  ) : (
    <address className={css["address"]}>{addressLines(address).join("\n")}</address>
  )
