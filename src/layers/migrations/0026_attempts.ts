import { OutsideTransaction } from "../sql/IndexMigration.ts"
import { partitionByWeeks } from "../sql/Weeks.ts"

/** Partitions the attempts of deliveries by the weeks of their events, so that they are dropped by weeks. */
export default new OutsideTransaction({
  steps: partitionByWeeks({
    table: "delivery_attempts",
    id: "event_id",
    key: ["store_id", "event_id", "installation_id", "attempt"]
  })
})
