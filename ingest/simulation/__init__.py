"""The parts of the simulated market: stable arithmetic, the price process, list prices, trades.

Owns what :mod:`rentmark.ingest.simulated` is made of. Everything here is invented: parameters are
assumptions, sellers and buyers do not exist. May import records only; pure functions of a seed.

``stable`` draws and exponentiates with the same bits on every machine · ``scenario`` the assumed
parameters, events, goods and sellers · ``process`` the latent market price · ``quotes`` sticky list
prices and the rows of a day's offers · ``trades`` executed trades, their corrections and cancellations.
"""
