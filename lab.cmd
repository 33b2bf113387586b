@echo off
rem The launcher for Windows: the same as ./lab elsewhere. It takes the newest Python by Python's own launcher, and where
rem that is not installed the one in the PATH.
for %%I in (py.exe) do if not "%%~$PATH:I"=="" goto launcher
python "%~dp0lab" %*
exit /b %ERRORLEVEL%
:launcher
py -3 "%~dp0lab" %*
exit /b %ERRORLEVEL%
