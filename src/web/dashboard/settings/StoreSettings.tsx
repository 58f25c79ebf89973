import { type FormEvent, useMemo, useState } from "react"
import { type UpdateSettings, WeightUnit } from "../../../domain/access/Settings.ts"
import type { Store } from "../../../domain/access/Stores.ts"
import { day } from "../../data/Format.ts"
import { useRpcMutation } from "../../data/queries.ts"
import { Button } from "../../ui/Button.tsx"
import { Columns, SelectField, TextField } from "../../ui/Field.tsx"
import { Card, Facts, Row, Stack } from "../../ui/Page.tsx"
import { ErrorNotice } from "../../ui/QueryBoundary.tsx"
import { toast } from "../../ui/Toasts.tsx"
import { UnsavedChangesGuard } from "../../ui/UnsavedChangesGuard.tsx"
import { useRefreshAccount, useStoreId } from "../Store.ts"
import { countries, languageName, timezones } from "./Names.ts"
import { readForm, typedOf, UNIT_WORDS, type Typed } from "./StoreForm.ts"

/** What is sent to be saved, and what was typed by then. */
interface Saved {
  readonly settings: UpdateSettings
  readonly typed: Partial<Typed>
}

/** What the store says of itself. What nobody typed follows the store, also when another member changes it. */
export const StoreSettings = ({ store }: { readonly store: Store }) => {
  const storeId = useStoreId()
  const accountAgain = useRefreshAccount()
  const [typed, setTyped] = useState<Partial<Typed>>({})
  const [nations] = useState(countries)
  const zones = useMemo(() => timezones(store.timezone), [store.timezone])
  const [isAsked, setAsked] = useState(false)
  const shown = { ...typedOf(store), ...typed }
  const read = readForm(store, shown)
  const problems = "problems" in read && isAsked ? read.problems : {}
  const isChanged = "problems" in read || Object.keys(read.changes).length > 0
  const saving = useRpcMutation({
    write: (client, { settings }: Saved, idempotencyKey) =>
      client.settings.update({ storeId, idempotencyKey, settings }),
    invalidates: [[storeId, "store"]],
    onSuccess: (_, { settings, typed: sent }) => {
      // What was typed since is not saved yet.
      setTyped((now) => (now === sent ? {} : now))
      setAsked(false)
      toast("Settings saved")
      if (settings.name !== undefined) accountAgain()
    }
  })
  const save = (event: FormEvent) => {
    event.preventDefault()
    setAsked(true)
    if ("changes" in read && isChanged && !saving.isPending) saving.mutate({ settings: read.changes, typed })
  }
  const field = (name: keyof Typed) => ({
    value: shown[name],
    problem: problems[name],
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      setTyped((before) => ({ ...before, [name]: target.value }))
  })
  const language = languageName(shown.locale)
  return (
    <Stack>
      <Card title="Store">
        <form onSubmit={save} noValidate>
          <Stack>
            {saving.error === null ? undefined : <ErrorNotice error={saving.error} />}
            <Columns>
              <TextField label="Name" autoComplete="off" {...field("name")} />
              <TextField
                label="Domain"
                hint="Address of your storefront, such as shop.example.com."
                autoComplete="off"
                {...field("domain")}
              />
            </Columns>
            <Columns>
              <SelectField label="Country" {...field("country")}>
                <option value="">None</option>
                {nations.map(({ name, value }) => (
                  <option key={value} value={value}>
                    {name}
                  </option>
                ))}
              </SelectField>
              <TextField
                label="Language"
                hint={language ?? "Language tag, such as de-DE."}
                autoComplete="off"
                {...field("locale")}
              />
            </Columns>
            <Columns>
              <SelectField label="Time zone" {...field("timezone")}>
                {zones.map((zone) => (
                  <option key={zone} value={zone}>
                    {zone.replaceAll("_", " ")}
                  </option>
                ))}
              </SelectField>
              <SelectField label="Weight unit" {...field("weightUnit")}>
                {WeightUnit.literals.map((unit) => (
                  <option key={unit} value={unit}>
                    {UNIT_WORDS[unit]}
                  </option>
                ))}
              </SelectField>
            </Columns>
            <Row>
              <Button kind="strong" type="submit" isBusy={saving.isPending} disabled={!isChanged}>
                Save
              </Button>
              {isChanged ? <Button onClick={() => setTyped({})}>Discard</Button> : undefined}
            </Row>
          </Stack>
        </form>
        <UnsavedChangesGuard isUnsaved={isChanged}>
          <p>Your changes to the store settings are not saved and will be lost.</p>
        </UnsavedChangesGuard>
      </Card>
      <Card title="Plan and currency">
        <Facts
          facts={[
            ["Plan", store.plan.name],
            ["Currency", store.currencyCode],
            ["Created", day(store.createdAt)]
          ]}
        />
      </Card>
    </Stack>
  )
}
