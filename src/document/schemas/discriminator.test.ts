import { expect, it } from 'vitest'
import { withBranchValues } from './discriminator.ts'

it('the values of a discriminator are listed for each branch: those of its mapping, else the name of the schema', () => {
  const cat = { $ref: '#/components/schemas/Cat' }
  const dog = { $ref: '#/components/schemas/Dog' }
  const discriminator = {
    propertyName: 'kind',
    mapping: { kitten: '#/components/schemas/Cat', tom: 'Cat' },
  }

  const draft = withBranchValues({ discriminator }, { oneOf: [cat, dog, { type: 'object' }] })

  expect(draft).toMatchObject({
    discriminator: { propertyName: 'kind', branches: [['kitten', 'tom'], ['Dog'], []] },
  })
})
