/** A framework by the package that brings it. */
export interface Framework {
  readonly slug: string;
  readonly packages: readonly string[];
}

const one = (slug: string, ...packages: readonly string[]): Framework => ({ slug, packages });

/** Frameworks that render pages and bring their own server. */
export const PAGE_FRAMEWORKS: readonly Framework[] = [
  one('next', 'next'),
  one('nuxt', 'nuxt', 'nuxt3', 'nuxt-nightly'),
  one('sveltekit', '@sveltejs/kit'),
  one('remix', '@remix-run/react', '@remix-run/dev', '@remix-run/serve', '@remix-run/node'),
  one('react-router', '@react-router/dev', '@react-router/serve'),
  one('astro', 'astro'),
  one('tanstack-start', '@tanstack/react-start', '@tanstack/start'),
  one('solid-start', '@solidjs/start', 'solid-start'),
  one('qwik', '@builder.io/qwik-city', '@qwik.dev/router'),
  one('gatsby', 'gatsby'),
];

/** Tools that turn pages into files which any web server can hand out. */
export const BUNDLERS: readonly Framework[] = [
  one('docusaurus', '@docusaurus/core'),
  one('vitepress', 'vitepress'),
  one('vuepress', 'vuepress'),
  one('eleventy', '@11ty/eleventy'),
  one('angular', '@angular/cli', '@angular/build', '@angular-devkit/build-angular'),
  one('create-react-app', 'react-scripts'),
  one('vue-cli', '@vue/cli-service'),
  one('ember', 'ember-cli'),
  one('hexo', 'hexo'),
  one('vite', 'vite', 'rolldown-vite'),
  one('parcel', 'parcel'),
  one('rsbuild', '@rsbuild/core'),
  one('webpack', 'webpack'),
];

/** Frameworks that answer requests. */
export const SERVERS: readonly Framework[] = [
  one('nest', '@nestjs/core'),
  one('adonis', '@adonisjs/core'),
  one('strapi', '@strapi/strapi'),
  one('medusa', '@medusajs/medusa'),
  one('feathers', '@feathersjs/feathers'),
  one('fastify', 'fastify'),
  one('hono', 'hono'),
  one('elysia', 'elysia'),
  one('koa', 'koa'),
  one('hapi', '@hapi/hapi'),
  one('restify', 'restify'),
  one('polka', 'polka'),
  one('express', 'express', '@types/express'),
  one('h3', 'h3', 'nitropack'),
  one('apollo', '@apollo/server', 'apollo-server'),
  one('graphql-yoga', 'graphql-yoga'),
  one('micro', 'micro'),
  one('socket.io', 'socket.io'),
];

/** Packages whose programs wait for work instead of requests. */
export const WORKERS: readonly Framework[] = [
  one('bullmq', 'bullmq'),
  one('bull', 'bull'),
  one('bee-queue', 'bee-queue'),
  one('agenda', 'agenda'),
  one('graphile-worker', 'graphile-worker'),
  one('pg-boss', 'pg-boss'),
  one('temporal', '@temporalio/worker'),
  one('kafkajs', 'kafkajs'),
  one('amqplib', 'amqplib'),
  one('sqs-consumer', 'sqs-consumer'),
  one('node-cron', 'node-cron', 'cron', 'croner', 'node-schedule'),
  one('discord.js', 'discord.js'),
  one('telegraf', 'telegraf', 'grammy', 'node-telegram-bot-api'),
];

/** The first framework of a list whose package is among the given ones. */
export function frameworkIn(
  list: readonly Framework[],
  packages: ReadonlySet<string>,
): { readonly slug: string; readonly dependency: string } | undefined {
  for (const { slug, packages: names } of list) {
    const dependency = names.find((name) => packages.has(name));
    if (dependency !== undefined) return { slug, dependency };
  }
  return undefined;
}
