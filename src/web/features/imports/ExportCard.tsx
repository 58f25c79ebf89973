import { useMutation } from "@tanstack/react-query"
import { Effect, Option, Schedule, Stream } from "effect"
import { type FormEvent, useState } from "react"
import { ExportKind } from "../../../domain/exports/Export.ts"
import type { StoreId } from "../../../rpc/Client.ts"
import { newIdempotencyKey } from "../../shared/data/queries.ts"
import { callService } from "../../shared/data/service.ts"
import { ErrorNotice } from "../../shared/ui/display/QueryBoundary.tsx"
import { Button } from "../../shared/ui/form/Button.tsx"
import { Columns, SelectField } from "../../shared/ui/form/Field.tsx"
import { Card, MutedText, Row, Stack } from "../../shared/ui/layout/Page.tsx"
import { saveFile } from "./importFile.ts"
import { importTexts } from "./importTexts.ts"

const texts = importTexts.export

const POLL = "1 second"

/** Exports a kind, reads the file part by part and deletes the export. Returns the parts, or none if it failed. */
const exportAll = (storeId: StoreId, kind: ExportKind, onExported: (rows: number) => void) =>
  callService((client) =>
    Effect.acquireUseRelease(
      client.exports.create({ storeId, idempotencyKey: newIdempotencyKey(), kind }),
      Effect.fnUntraced(function* ({ id }) {
        const { state } = yield* client.exports.get({ storeId, id }).pipe(
          Effect.tap(({ exported }) => Effect.sync(() => onExported(exported))),
          Effect.repeat({ until: ({ state }) => state !== "running", schedule: Schedule.spaced(POLL) })
        )
        if (state !== "finished") return Option.none()
        const parts = yield* Stream.runCollect(
          Stream.paginate(0, (part: number) =>
            Effect.map(client.exports.read({ storeId, id, part }), ({ lines, nextPart }) => [
              [lines],
              Option.fromNullishOr(nextPart)
            ])
          )
        )
        return Option.some(parts)
      }),
      ({ id }) => Effect.ignore(client.exports.delete({ storeId, id }))
    )
  )

/** Exports all data of a kind to a file. */
export const ExportCard = ({ storeId }: { readonly storeId: StoreId }) => {
  const [kind, setKind] = useState<ExportKind>("products")
  const [exported, setExported] = useState(0)
  const exporting = useMutation({
    mutationFn: (kind: ExportKind) => exportAll(storeId, kind, setExported),
    onSuccess: (file, kind) => {
      if (Option.isSome(file)) saveFile(texts.file(kind), file.value, "application/x-ndjson")
    }
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setExported(0)
    exporting.mutate(kind)
  }
  const isFailed = exporting.data !== undefined && Option.isNone(exporting.data)
  return (
    <Card title={texts.title}>
      <form onSubmit={submit}>
        <Stack>
          <MutedText>{texts.hint}</MutedText>
          <Columns>
            <SelectField
              label={texts.kind}
              value={kind}
              onChange={({ target }) => setKind(ExportKind.literals.find((one) => one === target.value) ?? kind)}
            >
              {ExportKind.literals.map((one) => (
                <option key={one} value={one}>
                  {importTexts.kinds[one]}
                </option>
              ))}
            </SelectField>
          </Columns>
          {exporting.error === null ? undefined : <ErrorNotice error={exporting.error} />}
          <output>
            {exporting.isPending ? texts.running(exported) : undefined}
            {isFailed ? texts.failed : undefined}
            {exporting.isSuccess && !isFailed ? texts.done(exported) : undefined}
          </output>
          <Row>
            <Button type="submit" isBusy={exporting.isPending}>
              {texts.start}
            </Button>
          </Row>
        </Stack>
      </form>
    </Card>
  )
}
