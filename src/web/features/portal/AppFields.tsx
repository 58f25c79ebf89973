import { Capability } from "../../../domain/access/Capability.ts"
import { grantDescriptions } from "../../shared/data/grants.ts"
import { Scope } from "../../../domain/access/Scope.ts"
import type { Problems } from "../../shared/data/errorMessages.ts"
import { CheckField, Columns, Fieldset, TextArea, TextField } from "../../shared/ui/form/Field.tsx"
import { Card } from "../../shared/ui/layout/Page.tsx"
import type { AppDraft } from "./appDraft.ts"
import css from "./Portal.module.css"
import { portalTexts } from "./portalTexts.ts"

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
        label={grantDescriptions[one].title}
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
    <Card title={portalTexts.form.details}>
      <TextField
        label={portalTexts.form.name}
        hint={portalTexts.form.nameHint}
        value={draft.name}
        problem={problems["name"]}
        onChange={({ target }) => change({ name: target.value })}
      />
      <Columns>
        <TextField
          label={portalTexts.form.website}
          type="url"
          placeholder={portalTexts.form.websitePlaceholder}
          hint={portalTexts.form.websiteHint}
          value={draft.website}
          problem={problems["website"]}
          onChange={({ target }) => change({ website: target.value })}
        />
        <TextField
          label={portalTexts.form.logo}
          type="url"
          placeholder={portalTexts.form.logoPlaceholder}
          hint={portalTexts.form.logoHint}
          value={draft.logoUrl}
          problem={problems["logoUrl"]}
          onChange={({ target }) => change({ logoUrl: target.value })}
        />
      </Columns>
    </Card>
    <Card title={portalTexts.form.authorization}>
      <TextArea
        label={portalTexts.form.redirectUris}
        rows={3}
        placeholder={portalTexts.form.redirectUrisPlaceholder}
        hint={portalTexts.form.redirectUrisHint}
        value={draft.redirectUris}
        problem={problems["redirectUris"]}
        onChange={({ target }) => change({ redirectUris: target.value })}
      />
    </Card>
    <Card title={portalTexts.form.permissions}>
      <Fieldset legend={portalTexts.form.scopes} hint={portalTexts.form.scopesHint}>
        <GrantFields options={Scope.literals} chosen={draft.scopes} change={(scopes) => change({ scopes })} />
        {problems["scopes"] === undefined ? undefined : <p className={css["problem"]}>{problems["scopes"]}</p>}
      </Fieldset>
      <Fieldset legend={portalTexts.form.capabilities}>
        <GrantFields
          options={Capability.literals}
          chosen={draft.capabilities}
          change={(capabilities) => change({ capabilities })}
        />
      </Fieldset>
    </Card>
  </>
)
