import express from 'express'
import { limited, page, pets, port, unauthorized } from './pets.mjs'

express()
  .get('/v1/pets', (_request, response) => response.json(page))
  .get('/v1/pets/:petId', ({ params }, response) => response.json(pets[params.petId - 1]))
  .post('/v1/pets', express.json(), ({ body }, response) =>
    response.status(201).json({ id: 51, ...body }),
  )
  .get('/v1/unauthorized', (_request, response) => response.status(401).json(unauthorized))
  .get('/v1/limited', (_request, response) => response.status(429).json(limited))
  .listen(port)
