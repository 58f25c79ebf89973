import { BaseSequencer, type TestSpecification } from "vitest/node"

/** What takes long: it starts processes, or a browser. */
const isLong = ({ moduleId }: TestSpecification) => /\/test\/(?:process|web)\//.test(moduleId)

/** Runs what takes long first, so that no such file is left alone at the end: a clean clone knows of no durations. */
export class LongFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    // oxlint-disable-next-line unicorn/no-array-sort -- It is no array's.
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}
