import { type FormEvent, useMemo, useState } from "react"
import { Link } from "@tanstack/react-router"
import { type UpdateSettings, WeightUnit } from "../../../domain/access/Settings.ts"
import type { Store } from "../../../domain/access/Stores.ts"
import { Day } from "../../shared/ui/display/Values.tsx"
import { useRpcMutation } from "../../shared/data/queries.ts"
import { Button } from "../../shared/ui/form/Button.tsx"
import { SaveForm, UnsavedChangesGuard } from "../../shared/ui/form/SaveForm.tsx"
import { Columns, SelectField, TextField } from "../../shared/ui/form/Field.tsx"
import { PresenceNote } from "../../shared/ui/form/ConcurrentEdits.tsx"
import { Card, Facts, Row, Stack, Page, FIRST_TAB, TabLinks } from "../../shared/ui/layout/Page.tsx"
import { ErrorNotice, QueryBoundary } from "../../shared/ui/display/QueryBoundary.tsx"
import { toast } from "../../shared/ui/display/Toasts.tsx"
import { useRefreshAccount, useStore, useStoreId } from "../../shared/data/store.ts"
import { countries } from "../../shared/data/localeNames.ts"
import { uiTexts } from "../../shared/sharedTexts.ts"
import { languageName, timezones } from "./localeNames.ts"
import { parseStoreForm, formValuesOf, type StoreFormValues } from "./settingsForms.ts"
import { settingsTexts } from "./settingsTexts.ts"

/** Changes to save, with the form values at that time. */
interface SaveRequest {
  readonly settings: UpdateSettings
  readonly typed: Partial<StoreFormValues>
}

/** Form of the store. Untouched fields follow changes of other members. */
const StoreForm = ({ store }: { readonly store: Store }) => {
  const storeId = useStoreId()
  const refreshAccount = useRefreshAccount()
  const [typed, setTyped] = useState<Partial<StoreFormValues>>({})
  const [countryOptions] = useState(countries)
  const zones = useMemo(() => timezones(store.timezone), [store.timezone])
  const [wasSubmitted, setSubmitted] = useState(false)
  const shown = { ...formValuesOf(store), ...typed }
  const parsed = parseStoreForm(store, shown)
  const problems = "problems" in parsed && wasSubmitted ? parsed.problems : {}
  const isChanged = "problems" in parsed || Object.keys(parsed.changes).length > 0
  const saving = useRpcMutation({
    write: (client, { settings }: SaveRequest, idempotencyKey) =>
      client.settings.update({ storeId, idempotencyKey, settings }),
    invalidates: [[storeId, "store"]],
    onSuccess: (_, { settings, typed: sent }) => {
      // Input since the save started is not saved yet.
      setTyped((now) => (now === sent ? {} : now))
      setSubmitted(false)
      toast(settingsTexts.store.saved)
      if (settings.name !== undefined || settings.timezone !== undefined) refreshAccount()
    }
  })
  const save = (event: FormEvent) => {
    event.preventDefault()
    setSubmitted(true)
    if ("changes" in parsed && isChanged && !saving.isPending) saving.mutate({ settings: parsed.changes, typed })
  }
  const field = (name: keyof StoreFormValues) => ({
    value: shown[name],
    problem: problems[name],
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      setTyped((before) => ({ ...before, [name]: target.value }))
  })
  const language = languageName(shown.locale)
  return (
    <Stack>
      <PresenceNote kind="store" id={storeId} />
      <Card title={settingsTexts.store.title}>
        <SaveForm onSubmit={save}>
          <Stack>
            {saving.error === null ? undefined : <ErrorNotice error={saving.error} />}
            <Columns>
              <TextField label={settingsTexts.store.name} autoComplete="off" {...field("name")} />
              <TextField
                label={settingsTexts.store.domain}
                hint={settingsTexts.store.domainHint}
                autoComplete="off"
                {...field("domain")}
              />
            </Columns>
            <Columns>
              <SelectField label={settingsTexts.store.country} {...field("country")}>
                <option value="">{settingsTexts.store.noCountry}</option>
                {countryOptions.map(({ name, value }) => (
                  <option key={value} value={value}>
                    {name}
                  </option>
                ))}
              </SelectField>
              <TextField
                label={settingsTexts.store.language}
                hint={language ?? settingsTexts.store.languageHint}
                autoComplete="off"
                {...field("locale")}
              />
            </Columns>
            <Columns>
              <SelectField label={settingsTexts.store.timezone} {...field("timezone")}>
                {zones.map((zone) => (
                  <option key={zone} value={zone}>
                    {zone.replaceAll("_", " ")}
                  </option>
                ))}
              </SelectField>
              <SelectField label={settingsTexts.store.weightUnit} {...field("weightUnit")}>
                {WeightUnit.literals.map((unit) => (
                  <option key={unit} value={unit}>
                    {settingsTexts.store.weightUnits[unit]}
                  </option>
                ))}
              </SelectField>
            </Columns>
            <Row>
              <Button kind="strong" type="submit" isBusy={saving.isPending} disabled={!isChanged}>
                {uiTexts.saveBar.save}
              </Button>
              {isChanged ? <Button onClick={() => setTyped({})}>{uiTexts.saveBar.discard}</Button> : undefined}
            </Row>
          </Stack>
        </SaveForm>
        <UnsavedChangesGuard isUnsaved={isChanged}>
          <p>{settingsTexts.store.unsaved}</p>
        </UnsavedChangesGuard>
      </Card>
      <Stack isSecondary>
        <Card title={settingsTexts.store.planAndCurrency}>
          <Facts
            facts={[
              [settingsTexts.store.plan, store.plan.name],
              [settingsTexts.store.currency, store.currencyCode],
              [settingsTexts.store.created, <Day key="created" at={store.createdAt} />]
            ]}
          />
        </Card>
      </Stack>
    </Stack>
  )
}

/** Settings of the store. */
export const StoreSettings = () => (
  <QueryBoundary query={useStore()}>{(store) => <StoreForm store={store} />}</QueryBoundary>
)

const { tabs, title } = settingsTexts.page

/** Settings of the store and of the signed-in account. */
export const SettingsPage = () => {
  const params = { storeId: useStoreId() }
  return (
    <Page title={title}>
      <TabLinks label={title}>
        <Link to="/dashboard/$storeId/settings" params={params} activeOptions={FIRST_TAB} resetScroll={false}>
          {tabs.store}
        </Link>
        <Link to="/dashboard/$storeId/settings/members" params={params} resetScroll={false}>
          {tabs.members}
        </Link>
        <Link to="/dashboard/$storeId/settings/sessions" params={params} resetScroll={false}>
          {tabs.sessions}
        </Link>
        <Link to="/dashboard/$storeId/settings/password" params={params} resetScroll={false}>
          {tabs.password}
        </Link>
      </TabLinks>
    </Page>
  )
}
