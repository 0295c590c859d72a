import type { Contract, Operation } from '../contract/contract.ts'
import { decodeComponent } from '../contract/parse-text.ts'
import { resourcesIn } from '../resources/bind.ts'
import { possibleLinksOf } from '../resources/record-links.ts'
import { groupBy } from '../validation/objects.ts'
import type { Probe } from './probes/probe.ts'
import { boundTo, isParameter, type RecordPath, segmentsOf } from './record-address.ts'
import { itemTemplateElsewhere, memberTemplate } from './session/item-templates.ts'

/**
 * Puts what belongs together into one lane: what is sent in two lanes at once does not disturb each other. Records below one parent,
 * those that refer to each other, and the operations of one resource are in the same lane.
 */
export class Lanes {
  readonly #prefix: number
  readonly #operations: ReadonlyMap<string, Operation>
  /** The lanes by the first words of paths, each with the word that stands for the lane. */
  readonly #joined = new Map<string, string>()

  constructor(contract: Contract, probes: readonly Probe[]) {
    const { operations } = contract
    this.#prefix = commonPrefix(operations.map(({ path }) => segmentsOf(path)))
    const byId = new Map(operations.map((one) => [one.id, one]))
    const resources = resourcesIn(contract)
    for (const one of operations) {
      const templates = [itemTemplateElsewhere(contract, one), memberTemplate(one, contract)]
      const binding = boundTo(contract, one)
      for (const template of templates.filter((known) => known !== undefined))
        this.#join(one.path, `/${template.join('/')}`)
      if (!binding) continue
      this.#join(one.path, binding.resource.path)
      for (const { to } of possibleLinksOf(binding.resource, resources))
        this.#join(one.path, to.path)
    }
    for (const same of groupBy(resources, ({ schemaName, name }) => schemaName ?? name).values())
      for (const { path } of same) this.#join(path, same[0]?.path ?? path)
    for (const { checks, exercises, creates } of probes) {
      const ids = [exercises?.id, creates?.id, ...checks.map(({ operation }) => operation)]
      const paths = ids.flatMap((id) => byId.get(id ?? '')?.path ?? [])
      for (const path of paths) this.#join(path, paths[0] ?? path)
    }
    this.#operations = byId
  }

  /** The lane of a probe; that of all others for one without an operation. */
  of({ checks, exercises }: Probe): string {
    const operation = exercises ?? this.#operations.get(checks[0]?.operation ?? '')
    return operation ? this.#laneOf(segmentsOf(operation.path)) : ''
  }

  /** The lane of a record. */
  ofRecord(path: RecordPath): string {
    return this.#laneOf(path.slice(1).map(decodeComponent))
  }

  #laneOf(segments: readonly string[]): string {
    const word = segments[this.#prefix] ?? ''
    let lane = isParameter(word) ? '' : word
    for (let next = this.#joined.get(lane); next !== undefined; next = this.#joined.get(lane))
      lane = next
    return lane
  }

  #join(one: string, other: string): void {
    const [first, second] = [this.#laneOf(segmentsOf(one)), this.#laneOf(segmentsOf(other))]
    if (first !== second) this.#joined.set(first, second)
  }
}

/** The number of first words that all paths have in common. */
function commonPrefix([first = [], ...others]: readonly (readonly string[])[]): number {
  const at = first.findIndex(
    (word, place) => isParameter(word) || others.some((path) => path[place] !== word),
  )
  return Math.max(0, at)
}

/**
 * Runs tasks of several lanes: those of one lane one after the other, and those of others at the same time, as long as `limit` allows.
 * It goes around the lanes, so that their order is kept as far as possible.
 */
export function runInLanes<Task>(
  tasks: readonly Task[],
  laneOf: (task: Task) => string,
  limit: () => number,
  run: (task: Task) => Promise<void>,
): Promise<void> {
  const waiting = [...groupBy(tasks, laneOf).values()].map((lane) => [...lane])
  let running = 0
  return new Promise((resolve, reject) => {
    function startTasks(): void {
      if (running === 0 && waiting.length === 0) resolve()
      // The limit may change with each response.
      while (running < Math.max(1, limit())) {
        const lane = waiting.shift()
        const task = lane?.shift()
        if (lane === undefined || task === undefined) return
        running += 1
        run(task).then(() => {
          running -= 1
          if (lane.length > 0) waiting.push(lane)
          startTasks()
        }, reject)
      }
    }
    startTasks()
  })
}
