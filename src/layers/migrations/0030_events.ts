import { OutsideTransaction } from "../sql/IndexMigration.ts"
import { partitionByWeeks } from "../sql/Weeks.ts"

/**
 * Partitions the events by weeks, so that they are dropped by weeks. Only the table of before and the default partition
 * have the index by which events are deleted one by one.
 */
export default new OutsideTransaction({
  steps: partitionByWeeks({ table: "events", id: "id", key: ["store_id", "id"] })
})
