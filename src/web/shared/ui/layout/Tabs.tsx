import { Tabs as Base } from "@base-ui/react/tabs"
import type { ReactNode } from "react"
import css from "./Tabs.module.css"

export interface Tab {
  readonly name: string
  readonly panel: ReactNode
}

interface TabsProps {
  readonly label: string
  readonly tabs: ReadonlyArray<Tab>
  /** Name of the tab that is open at first. */
  readonly initial?: string | undefined
}

export const Tabs = ({ label, tabs, initial = tabs[0]?.name }: TabsProps) => (
  <Base.Root key={initial} defaultValue={initial}>
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
