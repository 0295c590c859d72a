// Hand-written handlers for a collection of the data library.
import { Collection } from '@msw/data'
import { createServer } from '@mswjs/http-middleware'
import { HttpResponse, http } from 'msw'
import { z } from 'zod'
import { limited, pets, port, unauthorized } from './pets.mjs'

const schema = z.object({
  id: z.number(),
  name: z.string(),
  categoryId: z.number(),
  status: z.string(),
})
const collection = new Collection({ schema })
for (const pet of pets) await collection.create(pet)

createServer(
  http.get('/v1/pets', () => HttpResponse.json(collection.findMany(undefined, { take: 20 }))),
  http.get('/v1/pets/:petId', ({ params }) =>
    HttpResponse.json(collection.findFirst((q) => q.where({ id: Number(params.petId) }))),
  ),
  http.post('/v1/pets', async ({ request }) => {
    const pet = await collection.create({ id: collection.count() + 1, ...(await request.json()) })
    return HttpResponse.json(pet, { status: 201 })
  }),
  http.get('/v1/unauthorized', () => HttpResponse.json(unauthorized, { status: 401 })),
  http.get('/v1/limited', () => HttpResponse.json(limited, { status: 429 })),
).listen(port)
