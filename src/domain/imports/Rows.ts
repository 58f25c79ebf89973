import { Array, Result, Schema } from "effect"
import { compileDecoder, issuesOf } from "../json/Decoder.ts"
import { isObject, type JsonObject } from "../json/Json.ts"
import { parseUntrusted } from "../json/UntrustedJson.ts"
import { truncateIssues } from "../Limits.ts"
import { PutCustomer } from "../records/Customer.ts"
import { isText } from "../Text.ts"
import { PutCollection } from "./Collection.ts"
import type { ImportRow, ImportSettings, ShopifyRows, UnreadableRow } from "./ImportFile.ts"
import { decodeImportedOrder } from "./Order.ts"
import { decodeImportedProduct, type ImportedProduct } from "./Product.ts"
import { ExternalId, type ImportItem } from "./Put.ts"
import { shopifyProduct } from "./Shopify.ts"
import { makeShopifyColumns, type RowProblem, type ShopifyColumns } from "./ShopifyColumns.ts"

type Decoded<Input> = Result.Result<ImportItem<Input>, UnreadableRow>

/** Decodes the resource of a row. Fails with the reason why it is refused. */
export type DecodeRow<Input> = (row: ImportRow) => Decoded<Input>

const failuresOf = (...results: ReadonlyArray<Result.Result<unknown, ReadonlyArray<string>>>) =>
  results.flatMap((result) => (Result.isFailure(result) ? result.failure : []))

const decodeId = compileDecoder(Schema.Struct({ externalId: ExternalId }))

/** Makes a decoder of JSON Lines, from a decoder of the fields that fails with one message per issue. */
const jsonRowDecoder =
  <Input>(decode: (row: JsonObject) => Result.Result<Input, ReadonlyArray<string>>) =>
  (line: number, json: string): Decoded<Input> => {
    const refuse = (reason: string, externalId: string | null = null) => Result.fail({ line, externalId, reason })
    const parsed = parseUntrusted(json)
    if (Result.isFailure(parsed)) return refuse(parsed.failure.issues.join("; ") || "is not valid JSON")
    const value = parsed.success
    if (!isObject(value)) return refuse("must be a JSON object")
    const [id, input] = [Result.mapError(decodeId(value), issuesOf), decode(value)]
    if (Result.isSuccess(id) && Result.isSuccess(input)) {
      return Result.succeed({ externalId: id.success.externalId, input: input.success })
    }
    const { externalId } = value
    return refuse(truncateIssues(failuresOf(id, input)).join("; "), isText(externalId) ? externalId : null)
  }

/** Formats problems with their lines, unless a problem is on the first line. */
export const reasonOf = (line: number, problems: ReadonlyArray<RowProblem>) =>
  truncateIssues(
    problems.map((problem) => (problem.line === line ? problem.reason : `line ${problem.line}, ${problem.reason}`))
  ).join("; ")

/** Decodes the product of consecutive records of a Shopify export. */
const decodeShopifyProduct = (
  columns: ShopifyColumns,
  settings: ImportSettings,
  { externalId, line, records }: ShopifyRows
): Decoded<ImportedProduct> => {
  const [rows, problems] = Array.partition(records, (record) => columns.read(record.line, record.cells))
  const read = problems.length > 0 ? Result.fail(problems.flat()) : shopifyProduct(columns, rows, settings)
  return Result.mapBoth(read, {
    onFailure: (problems) => {
      const first = problems[0]?.line ?? line
      return { line: first, externalId, reason: reasonOf(first, problems) }
    },
    onSuccess: (input) => ({ externalId: ExternalId.make(externalId), input })
  })
}

/** Makes a decoder of rows. By default, it refuses records of a CSV file. */
const rowDecoder =
  <Input>(
    decodeJson: (line: number, json: string) => Decoded<Input>,
    decodeRecords: (row: ShopifyRows) => Decoded<Input> = ({ externalId, line }) =>
      Result.fail({ line, externalId, reason: "is not a line of JSON" })
  ): DecodeRow<Input> =>
  (row) => {
    if ("reason" in row) return Result.fail(row)
    return "json" in row ? decodeJson(row.line, row.json) : decodeRecords(row)
  }

/** Makes a decoder of the rows of products. */
export const productDecoder = (settings: ImportSettings): DecodeRow<ImportedProduct> => {
  const columns = Result.getOrThrow(makeShopifyColumns(settings.columns ?? ["Handle"]))
  return rowDecoder(
    jsonRowDecoder((row) => decodeImportedProduct(row, settings.replaceVariants)),
    (row) => decodeShopifyProduct(columns, settings, row)
  )
}

const fieldDecoder = <A, I>(schema: Schema.Codec<A, I>) => {
  const decode = compileDecoder(schema, { errors: "all" })
  return rowDecoder(jsonRowDecoder((row) => Result.mapError(decode(row), issuesOf)))
}

export const decodeCollectionRow = fieldDecoder(PutCollection)
export const decodeCustomerRow = fieldDecoder(PutCustomer)
export const decodeOrderRow = rowDecoder(jsonRowDecoder(decodeImportedOrder))
