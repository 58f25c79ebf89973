import { Tabs as Base } from "@base-ui/react/tabs"
import type { ReactNode } from "react"
import css from "./Layout.module.css"

export interface Tab {
  readonly name: string
  readonly panel: ReactNode
}

interface TabsProps {
  readonly label: string
  readonly tabs: ReadonlyArray<Tab>
}

/** Tabs within a card or a dialog. Tabs of a page are `TabLinks`. */
export const Tabs = ({ label, tabs }: TabsProps) => (
  <Base.Root defaultValue={tabs[0]?.name}>
    <Base.List className={css["list"]} aria-label={label}>
      {tabs.map(({ name }) => (
        <Base.Tab key={name} value={name} className={css["tab"]}>
          {name}
        </Base.Tab>
      ))}
    </Base.List>
    {tabs.map(({ name, panel }) => (
      <Base.Panel key={name} value={name} className={css["panel"]}>
        {panel}
      </Base.Panel>
    ))}
  </Base.Root>
)
