import { Result } from "effect"
import { decodeWith } from "../../../domain/Decoder.ts"
import type { JsonNumber, JsonObject } from "../../../domain/Json.ts"
import { SetInventory } from "../../../rpc/Client.ts"
import { parseNumber } from "../../data/parseInput.ts"
import { type Problems, parseIssues } from "./productInput.ts"

/** How the stock changes: by what came or went, or to what was counted. */
export interface StockChange {
  readonly mode: "adjust" | "count"
  readonly input: string
  readonly reason: string
  /** How many there were when it was looked at. A count holds only if there still are. */
  readonly shown: JsonNumber
  readonly variantId?: string | undefined
}

const decodeChange = decodeWith(SetInventory)

const quantityOf = ({ shown, mode }: StockChange, many: JsonNumber): JsonObject =>
  mode === "adjust" ? { adjust: many } : { stock: many, expectedStock: shown }

/** What asks the service for it, or what is wrong with what was typed, under `typed` and `reason`. */
export const parseStockChange = (change: StockChange): Result.Result<SetInventory, Problems> => {
  const { reason, input: typed, variantId } = change
  return Result.flatMap(
    Result.mapError(parseNumber(typed), (problem): Problems => new Map([["typed", problem]])),
    (many) =>
      Result.mapError(
        decodeChange(
          {
            ...quantityOf(change, many),
            ...(variantId === undefined ? {} : { variantId }),
            ...(reason.trim() === "" ? {} : { reason: reason.trim() })
          },
          true
        ),
        ({ issues = [] }) =>
          new Map([...parseIssues(issues)].map(([path, problem]) => [path === "reason" ? path : "typed", problem]))
      )
  )
}
