import { generateValue } from '../../generate/generate-value.ts'
import { once } from '../../validation/objects.ts'
import type { Resource } from '../resource.ts'

/** Why no record of a resource can be made, such as `reqs.code: no text was found that matches its pattern ^x$`; `undefined` when one can. */
export const unmadeReason: (resource: Resource) => string | undefined = once(({ schema, name }) => {
  const request = { schema, seed: [1], now: 0, place: name }
  const { value, reason } = generateValue(request, { isSmall: true })

  return value === undefined ? (reason ?? name) : undefined
})
