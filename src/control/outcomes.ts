import { json } from '../http/message.ts'
import { type DurationRange, rangeOf } from '../time/duration.ts'
import { type Handlers, NO_CONTENT } from './call.ts'
import { refuseUnknownName, withLocation } from './field-errors.ts'

/** Handlers for forced outcomes and scenarios. */
export const outcomes: Handlers<
  | 'listOutcomes'
  | 'forceOutcome'
  | 'clearOutcomes'
  | 'removeOutcome'
  | 'listScenarios'
  | 'playScenario'
> = {
  listOutcomes: ({ world }) => json(200, world.forced()),

  forceOutcome: ({ world, base, input: { body } }) => {
    const { outcome, latency, ...rule } = body
    const range = latency === undefined ? {} : { latency: readLatency(latency) }
    const forced = world.force(outcome, { ...rule, ...range })

    return json(201, forced, { Location: `${base}/outcomes/${forced.id}` })
  },

  clearOutcomes: ({ world }) => {
    world.unforce()
    return NO_CONTENT
  },

  removeOutcome: ({ world, base, input: { path } }) => {
    const known = world.forced().map(({ id }) => String(id))
    refuseUnknownName(
      'forced outcome',
      String(path.id),
      known,
      `No outcomes are forced. Force one with: pet-sandbox ctl force, or POST ${base}/outcomes.`,
    )
    world.unforce(path.id)
    return NO_CONTENT
  },

  listScenarios: ({ world }) => json(200, world.scenarios),

  playScenario: async ({ world, input: { path } }) => {
    const known = world.scenarios.map(({ name }) => name)
    refuseUnknownName('scenario', path.name, known)
    await world.play(path.name)

    return json(
      200,
      world.scenarios.find(({ name }) => name === path.name),
    )
  },
}

function readLatency(latency: number | string): DurationRange {
  return withLocation('body.latency', () => rangeOf(latency))
}
