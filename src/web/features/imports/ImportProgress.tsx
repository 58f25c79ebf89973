import { useEffect, useRef, useState } from "react"
import type { ChangeSet } from "../../../domain/changeSets/ChangeSet.ts"
import type { DataKind } from "../../../domain/imports/DataKind.ts"
import type { StoreId } from "../../../rpc/Client.ts"
import { saveFile } from "../../shared/ui/form/Export.tsx"
import { number } from "../../shared/data/format.ts"
import { ErrorNotice } from "../../shared/ui/display/QueryBoundary.tsx"
import { Table } from "../../shared/ui/display/Table.tsx"
import { Button } from "../../shared/ui/form/Button.tsx"
import { Facts, MutedText, Row, Stack, WarningBox } from "../../shared/ui/layout/Page.tsx"
import { refusedCsv, type ImportRun, listRefused } from "./importFile.ts"
import css from "./Imports.module.css"
import { importTexts as texts } from "./importTexts.ts"

/** Refused rows that are shown. */
const SHOWN = 20

/** Lists the first refused rows and saves all of them as a file. */
const Refused = ({
  refused,
  set,
  storeId
}: Pick<ImportRun, "refused"> & { readonly set: ChangeSet; readonly storeId: StoreId }) => {
  const [error, setError] = useState<unknown>()
  const save = () =>
    listRefused(storeId, set.id).then(
      (rows) => saveFile(texts.refusedFile, [refusedCsv(rows)], "text/csv"),
      (error: unknown) => setError(error)
    )
  const hidden = set.counts.refused - Math.min(refused.length, SHOWN)
  return (
    <Stack>
      <Table
        caption={texts.refusedRows}
        rows={refused.slice(0, SHOWN)}
        keyOf={({ index }) => String(index)}
        columns={[
          { name: texts.line, isNumber: true, cell: ({ line }) => (line === null ? "" : number(line)) },
          { name: texts.externalId, cell: ({ externalId }) => externalId },
          { name: texts.reason, cell: ({ error, issues }) => issues?.join("; ") ?? error }
        ]}
      />
      {hidden > 0 ? <MutedText>{texts.moreRefused(hidden)}</MutedText> : undefined}
      {error === undefined ? undefined : <ErrorNotice error={error} />}
      <Row>
        <Button onClick={() => void save()}>{texts.downloadRefused}</Button>
      </Row>
    </Stack>
  )
}

type CopiedImages = NonNullable<NonNullable<ChangeSet["import"]>["images"]>

/** Lists pictures that an import could not copy. */
const NotCopied = ({ failures }: Pick<CopiedImages, "failures">) => (
  <Stack>
    <Table
      caption={texts.notCopied}
      rows={failures.slice(0, SHOWN)}
      keyOf={({ url }) => url}
      columns={[
        { name: texts.imageUrl, cell: ({ url }) => url },
        { name: texts.reason, cell: ({ reason }) => reason }
      ]}
    />
    <MutedText>{texts.notCopiedHint}</MutedText>
  </Stack>
)

interface ProgressProps {
  readonly storeId: StoreId
  readonly kind: DataKind
  readonly run: ImportRun
  /** Imports the checked file. */
  readonly start: () => void
  readonly stop: (set: ChangeSet) => void
  readonly undo: (set: ChangeSet) => void
}

/** Progress and result of a check or an import. */
export const ImportProgress = ({ kind, run, start, stop, storeId, undo }: ProgressProps) => {
  const { error, isRunning, isUndone, mode, refused, set } = run
  const status = useRef<HTMLDivElement>(null)
  // The button that was pressed is gone.
  useEffect(() => status.current?.focus(), [mode, isRunning])
  const { created = 0, images, updated = 0 } = set?.import ?? {}
  const changed = created + updated
  // The journal does not undo orders and customers.
  const isUndoable = (kind === "products" || kind === "collections") && changed > 0 && !isUndone
  return (
    <section aria-label={mode === "check" ? texts.checked : texts.ended}>
      <Stack>
        <div ref={status} tabIndex={-1} className={css["status"]}>
          {isRunning ? (
            <>
              <output>{set === undefined ? texts.sending : texts.running[mode]}</output>
              <progress
                className={css["progress"]}
                aria-label={texts.progress}
                {...(set === undefined ? {} : { max: set.progress.total || 1, value: set.progress.done })}
              />
              {images === undefined || mode === "check" ? undefined : (
                <MutedText>{texts.copying(images.copied)}</MutedText>
              )}
            </>
          ) : (
            <h3>{mode === "check" ? texts.checked : texts.ended}</h3>
          )}
        </div>
        {error === undefined ? undefined : <ErrorNotice error={error} />}
        {set === undefined || isRunning ? undefined : (
          <>
            {set.failure === null ? undefined : <WarningBox isAlert>{set.failure}</WarningBox>}
            <Facts
              facts={[
                [texts.created, number(created)],
                [texts.updated, number(updated)],
                [texts.unchanged, number(set.counts.unchanged)],
                [texts.refused, number(set.counts.refused)],
                ...(images === undefined || mode === "check"
                  ? []
                  : ([
                      [texts.copied, number(images.copied)],
                      [texts.notCopied, number(images.failed)]
                    ] as const))
              ]}
            />
            {images === undefined || images.failures.length === 0 ? undefined : <NotCopied {...images} />}
            {set.counts.refused === 0 ? undefined : <Refused refused={refused} set={set} storeId={storeId} />}
            {mode === "check" && changed === 0 ? <p>{texts.nothing}</p> : undefined}
          </>
        )}
        {set === undefined ? undefined : (
          <Row>
            {mode === "check" && !isRunning && changed > 0 ? (
              <Button kind="strong" onClick={start}>
                {texts.import(kind, changed)}
              </Button>
            ) : undefined}
            {mode === "import" && isRunning && set.state === "applying" ? (
              <Button onClick={() => stop(set)}>{texts.stop}</Button>
            ) : undefined}
            {mode === "import" && !isRunning && isUndoable ? (
              <Button onClick={() => undo(set)}>{texts.undo}</Button>
            ) : undefined}
          </Row>
        )}
      </Stack>
    </section>
  )
}
