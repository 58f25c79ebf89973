import { useEffect, useRef, useState } from "react"
import Plot from "uplot"
import "uplot/dist/uPlot.min.css"
import type { OrderSummary } from "../../../domain/records/OrderSummary.ts"
import { money } from "../../shared/data/format.ts"
import css from "./Home.module.css"
import { homeTexts } from "./homeTexts.ts"
import { calendarDay, shortDay } from "./homeRules.ts"

const HEIGHT = 220

/** Days between two labels of the axis. */
const LABEL_STEPS = [1, 2, 5, 7, 10, 14, 30]

/** Resolves a color token. A canvas does not understand `light-dark()`. */
const colorOf = (element: HTMLElement, token: string) => {
  element.style.color = `var(${token})`
  const { color } = getComputedStyle(element)
  element.style.color = ""
  return color
}

/** Draws sales as bars. Without animation, so that nothing is needed for reduced motion. */
const draw = (
  element: HTMLElement,
  { currencyCode, days }: OrderSummary,
  point: (index: number | null | undefined) => void
): Plot => {
  const compact = new Intl.NumberFormat(undefined, { style: "currency", currency: currencyCode, notation: "compact" })
  const axis = {
    stroke: () => colorOf(element, "--muted"),
    font: "12px system-ui, sans-serif",
    ticks: { show: false },
    grid: { show: false }
  }
  const options: Plot.Options = {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { show: false }, y: false },
    scales: {
      x: { time: false, range: () => [-0.6, days.length - 0.4] },
      y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] }
    },
    axes: [
      {
        ...axis,
        incrs: LABEL_STEPS,
        space: 64,
        values: (_, splits) => splits.map((index) => (days[index] === undefined ? "" : shortDay(days[index].date)))
      },
      {
        ...axis,
        size: 64,
        grid: { show: true, width: 1, stroke: () => colorOf(element, "--line") },
        values: (_, splits) => splits.map((amount) => compact.format(amount))
      }
    ],
    series: [
      {},
      {
        fill: () => colorOf(element, "--accent"),
        stroke: () => colorOf(element, "--accent"),
        width: 0,
        ...(Plot.paths.bars === undefined ? {} : { paths: Plot.paths.bars({ size: [0.7, 40], radius: 0.15 }) }),
        points: { show: false }
      }
    ],
    hooks: { setCursor: [({ cursor }) => point(cursor.idx)] }
  }
  return new Plot(options, [days.map((_, index) => index), days.map(({ sales }) => sales)], element)
}

/** Bars of the sales of each day. The table beside it has the same figures for screen readers. */
export const SalesChart = ({ summary }: { readonly summary: OrderSummary }) => {
  const frame = useRef<HTMLElement>(null)
  const [index, setIndex] = useState<number | null>()
  useEffect(() => {
    const element = frame.current
    if (element === null) return undefined
    const plot = draw(element, summary, setIndex)
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }))
    resized.observe(element)
    const scheme = matchMedia("(prefers-color-scheme: dark)")
    const redraw = () => plot.redraw()
    scheme.addEventListener("change", redraw)
    return () => {
      scheme.removeEventListener("change", redraw)
      resized.disconnect()
      plot.destroy()
    }
  }, [summary])
  const pointed = typeof index === "number" ? summary.days[index] : undefined
  return (
    <div>
      <p className={css["readout"]} aria-hidden="true">
        {pointed === undefined
          ? undefined
          : homeTexts.sales.readout(
              calendarDay(pointed.date),
              money(pointed.sales, summary.currencyCode),
              pointed.orders
            )}
      </p>
      <figure ref={frame} className={css["chart"]} aria-label={homeTexts.sales.chart} />
    </div>
  )
}
