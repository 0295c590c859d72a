import express from 'express'
import { limited, page, pets, port, unauthorized } from './pets.mjs'

/** With `keep`, created records stay in memory, as on a server with records. */
const keeps = process.argv[3] === 'keep'
const kept = []

express()
  .get('/v1/pets', (_request, response) => response.json(page))
  .get('/v1/pets/:petId', ({ params }, response) => response.json(pets[params.petId - 1]))
  .post('/v1/pets', express.json(), ({ body }, response) => {
    const pet = { id: 51, ...body }
    if (keeps) kept.push(pet)
    response.status(201).json(pet)
  })
  .get('/v1/unauthorized', (_request, response) => response.status(401).json(unauthorized))
  .get('/v1/limited', (_request, response) => response.status(429).json(limited))
  .listen(port)
