import { json } from '../http/message.ts'
import { type Handlers, NO_CONTENT } from './call.ts'
import { refuseUnknownName, withLocation } from './field-errors.ts'

/** Handlers for plans and API keys. */
export const access: Handlers<'listPlans' | 'setPlan' | 'listKeys' | 'setKey' | 'removeKey'> = {
  listPlans: ({ world }) => json(200, world.plans),

  setPlan: ({ world, input: { path, body } }) => {
    world.setPlan(path.plan, body)

    return json(
      200,
      world.plans.find(({ name }) => name === path.plan),
    )
  },

  listKeys: ({ world }) => json(200, world.keys),

  setKey: ({ world, input: { path, body } }) => {
    const field = world.plans.some(({ name }) => name === body.plan) ? 'path.key' : 'body.plan'
    withLocation(field, () => world.setKey(path.key, body.plan))

    return json(
      200,
      world.keys.find(({ key }) => key === path.key),
    )
  },

  removeKey: ({ world, input: { path } }) => {
    const known = world.keys.map(({ key }) => key)
    refuseUnknownName('API key', path.key, known)
    world.removeKey(path.key)
    return NO_CONTENT
  },
}
