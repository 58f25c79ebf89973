import { Capability } from "../../../domain/access/Capability.ts"
import { GRANT_DESCRIPTIONS } from "../../../domain/access/GrantDescriptions.ts"
import { Scope } from "../../../domain/access/Scope.ts"
import type { Problems } from "../../data/fieldProblems.ts"
import { CheckField, Columns, Fieldset, TextArea, TextField } from "../../ui/form/Field.tsx"
import { Card } from "../../ui/layout/Page.tsx"
import type { AppDraft } from "./appDraft.ts"
import css from "./Apps.module.css"

interface AppFieldsProps {
  readonly draft: AppDraft
  readonly problems: Problems
  readonly change: (changed: Partial<AppDraft>) => void
}

const toggle = <A,>(all: ReadonlyArray<A>, one: A, isOn: boolean) =>
  isOn ? [...all, one] : all.filter((other) => other !== one)

/** Checkboxes of permissions: the label that merchants see, and the name in the API. */
const GrantFields = <A extends Scope | Capability>({
  change,
  chosen,
  options
}: {
  readonly options: ReadonlyArray<A>
  readonly chosen: ReadonlyArray<A>
  readonly change: (chosen: ReadonlyArray<A>) => void
}) => (
  <Columns>
    {options.map((one) => (
      <CheckField
        key={one}
        label={GRANT_DESCRIPTIONS[one].title}
        hint={<code>{one}</code>}
        checked={chosen.includes(one)}
        onChange={({ target }) => change(toggle(chosen, one, target.checked))}
      />
    ))}
  </Columns>
)

/** Form fields of an app, for registration and settings. */
export const AppFields = ({ change, draft, problems }: AppFieldsProps) => (
  <>
    <Card title="App details">
      <TextField
        label="Name"
        hint="Shown to merchants."
        value={draft.name}
        problem={problems["name"]}
        onChange={({ target }) => change({ name: target.value })}
      />
      <Columns>
        <TextField
          label="Website"
          type="url"
          placeholder="https://app.example.com/"
          hint="A page about your app. Optional."
          value={draft.website}
          problem={problems["website"]}
          onChange={({ target }) => change({ website: target.value })}
        />
        <TextField
          label="Logo URL"
          type="url"
          placeholder="https://app.example.com/logo.png"
          hint="An image. Optional."
          value={draft.logoUrl}
          problem={problems["logoUrl"]}
          onChange={({ target }) => change({ logoUrl: target.value })}
        />
      </Columns>
    </Card>
    <Card title="Authorization">
      <TextArea
        label="Redirect URIs"
        rows={3}
        placeholder="https://app.example.com/callback"
        hint="One per line, matched exactly. Use https, or http on 127.0.0.1, [::1] or localhost with any port. Public apps can use their own scheme, such as com.example.app:/callback."
        value={draft.redirectUris}
        problem={problems["redirectUris"]}
        onChange={({ target }) => change({ redirectUris: target.value })}
      />
    </Card>
    <Card title="Permissions">
      <Fieldset
        legend="Scopes"
        hint="Request only what your app needs. Merchants see each permission before they approve it."
      >
        <GrantFields options={Scope.literals} chosen={draft.scopes} change={(scopes) => change({ scopes })} />
        {problems["scopes"] === undefined ? undefined : <p className={css["problem"]}>{problems["scopes"]}</p>}
      </Fieldset>
      <Fieldset legend="Capabilities">
        <GrantFields
          options={Capability.literals}
          chosen={draft.capabilities}
          change={(capabilities) => change({ capabilities })}
        />
      </Fieldset>
    </Card>
  </>
)
