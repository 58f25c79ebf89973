import { Result } from "effect"
import { decodeWith } from "../../../../domain/json/Decoder.ts"
import type { JsonObject } from "../../../../domain/json/Json.ts"
import { SetInventory } from "../../../../rpc/Client.ts"
import { parseNumber, parseWhole } from "../../../shared/data/typedNumbers.ts"
import { type Problems, parseIssues } from "./productInput.ts"

/** Relative or absolute stock change. */
export interface StockChange {
  readonly mode: "adjust" | "count"
  readonly input: string
  readonly reason: string
  /** Stock when the dialog was shown. An absolute change fails if it differs by then. */
  readonly shown: number
  readonly variantId?: string | undefined
}

const decodeChange = decodeWith(SetInventory)

const quantityOf = ({ shown, mode }: StockChange, quantity: number): JsonObject =>
  mode === "adjust" ? { adjust: quantity } : { stock: quantity, expectedStock: shown }

/** Goods are counted in pieces, unless their stock already has decimals, as that of fabric by the meter. */
const parserFor = (stock: number) => (Number.isInteger(stock) ? parseWhole : parseNumber)

/** Validates the change. Messages have the keys `input` and `reason`. */
export const parseStockChange = (change: StockChange): Result.Result<SetInventory, Problems> => {
  const { reason, input, shown, variantId } = change
  return Result.flatMap(
    Result.mapError(parserFor(shown)(input), (problem): Problems => new Map([["input", problem]])),
    (quantity) =>
      Result.mapError(
        decodeChange(
          {
            ...quantityOf(change, quantity),
            ...(variantId === undefined ? {} : { variantId }),
            ...(reason.trim() === "" ? {} : { reason: reason.trim() })
          },
          true
        ),
        ({ issues = [] }) =>
          new Map([...parseIssues(issues)].map(([path, problem]) => [path === "reason" ? path : "input", problem]))
      )
  )
}
