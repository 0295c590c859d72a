import { expect, test } from 'vitest'
import { openApi } from '../testing/documented-api.ts'
import { listOf, objectOf } from '../testing/operation-on.ts'

const PLACE = { enum: ['attic', 'cellar'] }
const BOX = objectOf(['id', 'label'])

test.each([
  ['another name', 'place', false],
  ['the same name', 'id', true],
])(
  'ids are values that a longer path lists only if its parameter is the same: %s',
  async (_what, name, isListed) => {
    const { ask } = await openApi({
      'GET /boxes': { shown: listOf(BOX) },
      'GET /boxes/{id}': { shown: BOX },
      [`GET /boxes/{${name}}/{label}`]: { shown: BOX, path: { [name]: PLACE } },
    })

    const { body } = await ask<{ id: string }[]>('GET /boxes')

    expect(PLACE.enum.includes(body[0]?.id ?? '')).toBe(isListed)
  },
)
